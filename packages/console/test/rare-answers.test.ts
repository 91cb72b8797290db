import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { consolePlugin } from '../src/fastify.js'
import { consoleHandler } from '../src/index.js'
import { canaryFailed } from '../src/views/canary-failed.js'
import { canaryWaits } from '../src/views/canary-waits.js'
import type { EventDetail, GroupRow, Page, PlanView, QuarantineDetail } from '../src/wire.js'
import { all } from './every-right.js'
import { act, asShown, json, limitedConsole, listen, openFilledInbox, openInbox } from './rig.js'

const audit = { reason: 'a test', actor: 'Ann' }
const post = (body: object) => act('a test', {}, { seen: undefined, ...body })
const nameless = { authorize: (_: unknown, right: string) => right !== 'audits:read' }
const part = encodeURIComponent
const serve = async (receiver: Receiver, over: object = {}) =>
  `${await listen(consoleHandler(receiver, { ...all, ...over }))}/api`

describe('without the right to read the audits', () => {
  it('a change of a pause or of an operation names no operator', async () => {
    const { receiver } = await openFilledInbox()
    const api = await serve(receiver, nameless)
    await receiver.pause({ type: 'a.b' }, audit)
    const [pause] = await receiver.paused()
    await receiver.resume({ type: 'a.b' }, audit)
    const resumed = await json(`${api}/flow/resume`, post({ type: 'a.b', seen: pause?.pausedAt }))
    expect(resumed).toMatchObject({
      code: 'pause_changed',
      detail: 'The pause that was shown has ended. Nothing was changed.',
    })
    await receiver.pause({}, audit)
    const [now] = await receiver.paused()
    expect(await json(`${api}/flow/pause`, post({}))).toMatchObject({
      detail: `It was not paused when this was shown. It was paused at ${now?.pausedAt}. Nothing was changed.`,
    })
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
    const shown = await asShown(`${api}/runs/${run.id}`)
    await run.pause(audit)
    expect(await json(`${api}/runs/${run.id}/cancel`, post(shown))).toMatchObject({
      code: 'run_changed',
      detail: 'The operation is paused now, not as it was shown. Nothing was changed.',
    })
  })
})

it.each([
  ['running', 'running'],
  ['canary', 'waiting for its canary'],
  ['paused', 'paused'],
  ['stopped', 'stopped by its canary'],
  ['cancelled', 'cancelled'],
  ['done', 'at its end'],
])('an operation that is %s now is told as %s', async (state, words) => {
  const { receiver } = await openFilledInbox()
  const undo = () => Promise.reject(Object.assign(new Error('changed'), { code: 'run_changed' }))
  const found = { progress: async () => ({ state }), acts: async () => [] }
  const detail = async (findRun: unknown) => {
    const api = await serve({ ...receiver, undo, findRun } as never)
    return (
      await json<{ detail: string }>(
        `${api}/undo`,
        act('x', {}, { of: 'run_1', seen: { state: 'done', changes: 0 } }),
      )
    ).detail
  }
  expect(await detail(async () => found)).toBe(
    `The operation is ${words} now, not as it was shown. Nothing was changed.`,
  )
  expect(await detail(async () => undefined)).toBe(
    'The operation is not as it was shown. Nothing was changed.',
  )
})

it('a list of processes without one is a problem while the store is away', async () => {
  const { receiver } = await openFilledInbox()
  let isLost = false
  const losing: Receiver = {
    ...receiver,
    workers: async () => [],
    openCircuits: () => (isLost ? Promise.reject(new Error('no database')) : receiver.openCircuits()),
  }
  const url = await listen(limitedConsole(losing, all, { lookSeconds: 0.02 }))
  expect(await json(`${url}/api/workers`)).toEqual([])
  isLost = true
  const stream = await fetch(`${url}/api/stream`)
  await stream.text()
  const answer = await fetch(`${url}/api/workers`)
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { code: 'store_unavailable', detail: 'The database was away, so no process could report.' },
  ])
})

it('a path outside of the console is 404, and a plugin without a prefix is rejected', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, { ...all, path: '/console' }))
  for (const path of ['/', '/other', '/consoles/api/me']) {
    expect(await json(url + path)).toMatchObject({ status: 404, detail: 'The console has no such path.' })
  }
  const app = fastify()
  await expect(app.register(consolePlugin, { receiver, ...all })).rejects.toMatchObject({
    code: 'invalid_option',
    detail: 'register the plugin with a prefix, such as /console',
  })
  await app.close()
})

it('where nothing can be undone, each dialog says so', async () => {
  const inbox = await openInbox(undefined, {}, { attempts: 1 }, { undoSeconds: 0 })
  await inbox.send('transfer.failed', { transferId: 'tr_1' }, 'evt_twice')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.send('transfer.failed', { transferId: 'tr_2' }, 'evt_twice')
  await inbox.receiver.discard('evt_twice', audit)
  const api = await serve(inbox.receiver)
  const [{ key = '' } = {}] = await inbox.receiver.quarantined()
  const shown = await json<QuarantineDetail>(`${api}/quarantine/${part(key)}`)
  expect(shown.original).toBe('The event with this id was discarded by Ann.')
  expect(shown.beforeDiscard).toMatch(/^This delivery is deleted\. You cannot undo this: undoSeconds is 0\. /)
  expect(await json(`${api}/quarantine/${part(key)}/discard`, post({}))).toEqual({})
  const { discard, was } = await json<{ discard: object; was?: object }>(`${api}/events/evt_twice`)
  expect([discard, was]).toEqual([{ at: expect.any(String), actor: 'Ann' }, undefined])
})

it('an edited copy is no later event of its original, and another event is', async () => {
  const resource = ({ data }: { data: { owner: string } }) => data.owner
  const handlers = { async 'ledger.noted'() {} }
  const { receiver, send, until } = await openInbox(undefined, handlers, { attempts: 1 }, { resource })
  const api = await serve(receiver)
  await send('transfer.failed', { owner: 'ada' }, 'evt_dead')
  await until(({ dead }) => dead === 1)
  const body =
    '{"id":"evt_dead","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"owner":"ada"}}'
  const copy = await receiver.replayEdited('evt_dead', { body }, audit)
  await until(({ done }) => done === 1)
  const shown = await json<EventDetail>(`${api}/events/evt_dead`)
  expect([shown.copies, shown.laterDone]).toEqual([[copy], undefined])
  expect((await json<PlanView>(`${api}/plans`, post({ action: 'replay' }))).laterDone?.count).toBe(0)
  expect(await json(`${api}/events/${copy}`)).toMatchObject({ parent: 'evt_dead', parentState: 'dead' })
  await send('transfer.settled', { owner: 'ada' }, 'evt_later')
  await until(({ done }) => done === 2)
  expect((await json<EventDetail>(`${api}/events/evt_dead`)).laterDone).toBe(1)
  expect((await json<PlanView>(`${api}/plans`, post({ action: 'replay' }))).laterDone?.count).toBe(1)
  const run = await receiver.run(await receiver.plan({ action: 'replay', where: { id: 'evt_dead' } }), audit)
  expect(await json(`${api}/runs/${run.id}/notes`)).toEqual({ notes: [] })
})

it('a cause that holds nothing has no error that tells it apart', async () => {
  const left = () => Promise.reject(new Error('no account 17'))
  const right = () => Promise.reject(new Error('no account 18'))
  const { receiver, send, until } = await openInbox(undefined, {
    async 'ledger.noted'({ data }: { data: { at: string } }) {
      await (data.at === 'left' ? left() : right())
    },
  } as never)
  await send('ledger.noted', { at: 'left' }, 'evt_left')
  await send('ledger.noted', { at: 'right' }, 'evt_right')
  await until(({ dead }) => dead === 2)
  const api = await serve(receiver)
  await receiver.discard('evt_left', audit)
  const { rows } = await json<Page<GroupRow>>(`${api}/groups`)
  expect(rows.map(({ count, error }) => [count, error]).sort()).toEqual([
    [0, undefined],
    [1, 'handler_failed: Error: no account 18'],
  ])
})

describe('the events of a canary', () => {
  const applied = [
    { eventId: 'evt_done', state: 'done' },
    { eventId: 'evt_failed', state: 'failed' },
    { eventId: 'evt_dead', state: 'dead' },
    { eventId: 'evt_open', state: 'accepted' },
    { eventId: 'evt_changed', state: 'accepted', isChangedSince: true },
    { eventId: 'evt_again', state: 'failed', isChangedSince: true },
  ]
  const asked: number[] = []
  const handle = {
    applied: async ({ limit }: { limit: number }) => {
      asked.push(limit)
      return applied.slice(0, limit)
    },
  } as never
  const stateOf = (id: string) => applied.find(({ eventId }) => eventId === id)?.state
  const receiver = {
    inspect: async (id: string) => ({
      id,
      state: id === 'evt_changed' ? 'dead' : stateOf(id),
      lastError: `error of ${id}`,
      body: new Uint8Array(),
    }),
    explain: async (id: string) => ({ reason: 'paused', sentence: `of ${id}`, pause: { pausedAt: 'now' } }),
  } as never
  const options = { mask: undefined } as never

  it('that failed are named, whether they are tried again or not', async () => {
    const run = { canary: 4, note: 'it failed', state: 'stopped' } as never
    expect(await canaryFailed(receiver, options, handle, run)).toEqual({
      canaryFailed: ['evt_failed', 'evt_dead'],
      canaryError: 'error of evt_failed',
    })
    expect(
      await canaryFailed(receiver, options, handle, { canary: 0, note: 'x', state: 'stopped' } as never),
    ).toEqual({})
    expect(await canaryFailed(receiver, options, handle, { canary: 4, state: 'stopped' } as never)).toEqual(
      {},
    )
  })

  it('that are open are waited for, also those that failed and are tried again', async () => {
    const wait = await canaryWaits(receiver, options, handle, { canary: 60, state: 'canary' } as never, true)
    expect(wait).toEqual({
      count: 3,
      events: ['evt_failed', 'evt_open', 'evt_again'].map((eventId) => ({
        eventId,
        reason: 'paused',
        sentence: `of ${eventId}`,
        times: ['now'],
      })),
    })
    expect(asked.at(-1)).toBe(50)
    expect(
      await canaryWaits(receiver, options, handle, { canary: 1, state: 'canary' } as never, true),
    ).toBeUndefined()
    expect(
      await canaryWaits(receiver, options, handle, { canary: 4, state: 'running' } as never, true),
    ).toBeUndefined()
  })
})
