import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { replayNotes } from '../src/replay-notes.js'
import type { LeftAloneRow, Page, PlanView, RunDetail, RunView, VerifiedSome } from '../src/wire.js'
import { all } from './every-right.js'
import {
  act,
  json,
  jsonUntil,
  listen,
  openFilledInbox,
  openInbox,
  openWaitingInbox,
  sqliteFile,
} from './rig.js'

const audit = { reason: 'a test', actor: 'Ann' }
const post = (body: object) => act('a test', {}, { seen: undefined, ...body })

it('operations go page by page, the newest first', async () => {
  const { receiver } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const ids: string[] = []
  for (let at = 0; at < 3; at++) {
    const run = await receiver.run(await receiver.plan({ action: 'discard', where: { type: 'a.b' } }), audit)
    await run.finished()
    ids.unshift(run.id)
  }
  const first = await json<Page<RunView>>(`${api}/runs?limit=2`)
  expect([first.rows.map(({ id }) => id), first.next]).toEqual([ids.slice(0, 2), ids[1]])
  const rest = await json<Page<RunView>>(`${api}/runs?limit=2&cursor=${first.next}`)
  expect([rest.rows.map(({ id }) => id), rest.next]).toEqual([ids.slice(2), undefined])
  expect((await json<Page<RunView>>(`${api}/runs?limit=3`)).next).toBeUndefined()
})

it('what an operation changed goes page by page, and by state', async () => {
  const { receiver } = await openWaitingInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const run = await receiver.run(await receiver.plan({ action: 'giveUp' }), audit)
  await run.finished()
  const path = `${api}/runs/${run.id}/applied`
  const first = await json<Page<{ eventId: string }>>(`${path}?limit=1`)
  const second = await json<Page<{ eventId: string }>>(`${path}?limit=1&cursor=${first.next}`)
  expect([...first.rows, ...second.rows].map(({ eventId }) => eventId)).toEqual([
    'evt_failed',
    'evt_failed_too',
  ])
  expect(second.next).toBeUndefined()
  expect((await json<Page<object>>(`${path}?state=dead`)).rows).toHaveLength(2)
  expect((await json<Page<object>>(`${path}?state=failed`)).rows).toEqual([])
  expect(first.rows[0]).toEqual({
    eventId: 'evt_failed',
    state: 'dead',
    isChangedSince: false,
    lastError: 'a test',
  })
})

it('what an operation left alone has its reason, and no person without the right', async () => {
  const { receiver } = await openWaitingInbox()
  const plan = await receiver.plan({ action: 'giveUp' })
  await (
    await receiver.run(await receiver.plan({ action: 'giveUp', where: { id: 'evt_failed' } }), audit)
  ).finished()
  const run = await receiver.run(plan, audit)
  await run.finished()
  const rows = async (over: object) => {
    const url = await listen(consoleHandler(receiver, { ...all, ...over }))
    return (await json<Page<LeftAloneRow>>(`${url}/api/runs/${run.id}/left-alone`)).rows
  }
  const [row] = await rows({})
  expect(row).toMatchObject({ eventId: 'evt_failed', because: expect.any(String) })
  const nameless = await rows({ authorize: (_: unknown, right: string) => right !== 'audits:read' })
  expect(JSON.stringify(nameless)).not.toContain('Ann')
})

it('the notes on the rest of an operation leave out what it has changed', async () => {
  const resource = ({ data }: { data: { owner: string } }) => data.owner
  const { receiver, send, until } = await openInbox(undefined, {}, { attempts: 1 }, { resource })
  let [dead, done] = [0, 0]
  for (const owner of ['ada', 'ben']) {
    await send('transfer.failed', { owner }, `evt_${owner}`)
    dead += 1
    await until((counts) => counts.dead === dead)
    await send('transfer.settled', { owner }, `evt_later_${owner}`)
    done += 1
    await until((counts) => counts.done === done)
  }
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const plan = await json<PlanView>(`${api}/plans`, post({ action: 'replay' }))
  expect(plan.notes).toEqual([
    'Of these events, 2 have a later event of the same resource that is done. Each runs after that one, out of order.',
  ])
  const { id } = await json<RunView>(`${api}/plans/${plan.id}/run`, post({ canary: 1, perSecond: 1000 }))
  await jsonUntil<RunDetail>(`${api}/runs/${id}`, ({ state }) => state === 'stopped')
  expect(await json(`${api}/runs/${id}/notes`)).toEqual({
    notes: [
      'Of these events, 1 has a later event of the same resource that is done. It runs after that one, out of order.',
    ],
  })
})

it('of many events that were given up, a preview looks at the oldest 200', async () => {
  const { store, file } = await sqliteFile()
  const { receiver, until } = await (async () => {
    const inbox = await openInbox(async () => store, {}, { attempts: 5, firstPauseSeconds: 3600 })
    await inbox.send('transfer.failed', {}, 'evt_given')
    await inbox.until(({ failed }) => failed === 1)
    return inbox
  })()
  await (await receiver.run(await receiver.plan({ action: 'giveUp' }), audit)).finished()
  await until(({ dead }) => dead === 1)
  const notes = async () => (await replayNotes(receiver, {})).notes
  expect(await notes()).toEqual(['Of these events, a person gave up 1. It runs again too.'])
  const database = new Libsql(file)
  database.exec(`
    INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, endpoint, id, type, created_at,
      content_hash, last_error, failure_group, body)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 199)
    SELECT key || n, state, queued, attempt, received_at + n, due_at, endpoint, id || n, type, created_at, content_hash,
      last_error, failure_group, body FROM webhook_inbox_events, numbers WHERE id = 'evt_given'`)
  expect(await notes()).toEqual(['Of these events, a person gave up 1. It runs again too.'])
  database.exec(`
    INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, endpoint, id, type, created_at,
      content_hash, last_error, failure_group, body)
    SELECT key || 'x', state, queued, attempt, received_at + 900, due_at, endpoint, id || 'x', type, created_at,
      content_hash, last_error, failure_group, body FROM webhook_inbox_events WHERE id = 'evt_given'`)
  database.close()
  expect(await notes()).toEqual(['Of the oldest 200 of these events, a person gave up 1. It runs again too.'])
})

it('a check of many deliveries goes on where its part ended', async () => {
  const { receiver, sendRaw, until } = await openInbox()
  for (let at = 0; at < 21; at++) {
    await sendRaw(`no JSON ${at}`)
  }
  await until(({ quarantined }) => quarantined === 21)
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const verify = (body: object) => json<VerifiedSome>(`${api}/quarantine/verify-again`, post(body))
  const first = await verify({})
  expect([first.kept.length, first.next]).toEqual([20, expect.stringMatching(/^\d+ \d+$/)])
  const second = await verify({ cursor: first.next })
  expect([second.kept.length, second.next]).toEqual([1, undefined])
  const [oldest] = await receiver.quarantined({ order: 'oldest', limit: 1 })
  expect(first.kept[0]?.key).toBe(oldest?.key)
  await receiver.discard(second.kept[0]?.key ?? '', audit)
  const twenty = await verify({})
  expect([twenty.kept.length, twenty.next]).toEqual([20, undefined])
  for (const cursor of ['x 1', '1 x', -1, '1 -1']) {
    expect(await verify({ cursor })).toMatchObject({
      code: 'invalid_request',
      detail: 'cursor must be the next of the page before. Nothing was changed.',
    })
  }
})
