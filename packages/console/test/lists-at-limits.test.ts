import Libsql from 'libsql'
import { describe, expect, it } from 'vitest'
import type { Receiver, StoredEvent } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import { editedCopies } from '../src/views/edited-copies.js'
import { givenUpOf, givenUpOfMany, mayBeGivenUp } from '../src/views/given-up.js'
import { withNotes } from '../src/views/row-notes.js'
import { runActs } from '../src/views/run-acts.js'
import type { EventRow, Page, PlanView, VerificationPreview } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openInbox, sqliteFile } from './rig.js'

const serve = async (receiver: Receiver) => `${await listen(consoleHandler(receiver, all))}/api`
const post = (body: object) => act('a test', {}, { seen: undefined, ...body })

it('a list explains its oldest 20 events that wait', async () => {
  const { receiver, send } = await openInbox()
  await receiver.pause({}, { reason: 'too fast', actor: 'Ann' })
  for (let at = 0; at < 22; at++) {
    await send('transfer.settled', {}, `evt_${at}`)
  }
  const { rows } = await json<Page<EventRow>>(`${await serve(receiver)}/events`)
  expect(rows.map(({ why }) => why)).toEqual([undefined, undefined, ...Array(20).fill('paused')])
})

it('a list says what is guessed from missing reports only while processes can report', async () => {
  const row = { id: 'evt_1', state: 'accepted' } as EventRow
  const explaining = (reason: string) => ({ explain: async () => ({ reason }) }) as unknown as Receiver
  const whyOf = async (reason: string, mayMiss: boolean) =>
    (await withNotes(explaining(reason), [row], mayMiss))[0]?.why
  for (const reason of ['no_worker', 'stalled']) {
    expect([await whyOf(reason, false), await whyOf(reason, true)]).toEqual([reason, undefined])
  }
  expect([await whyOf('paused', false), await whyOf('paused', true)]).toEqual(['paused', 'paused'])
  const past = new Date(Date.now() - 60_000).toISOString()
  const future = new Date(Date.now() + 60_000).toISOString()
  const states = [
    { state: 'failed', retryAt: past },
    { state: 'failed', retryAt: future },
    { state: 'failed' },
    { state: 'done' },
  ]
  const noted = await withNotes(explaining('paused'), states as EventRow[], false)
  expect(noted.map(({ why }) => why)).toEqual(['paused', undefined, undefined, undefined])
})

it('a preview shows the oldest and the newest of many events, and some between them', async () => {
  const { store, file } = await sqliteFile()
  const { receiver, send, until } = await openInbox(async () => store)
  await send('transfer.failed', {}, 'evt_n')
  await until(({ dead }) => dead === 1)
  const database = new Libsql(file)
  database.exec(`
    INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, endpoint, id, type, created_at,
      content_hash, last_error, failure_group, body)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 500)
    SELECT key || n, state, queued, attempt, received_at + n, due_at, endpoint, id || n, type, created_at, content_hash,
      last_error, failure_group, body FROM webhook_inbox_events, numbers WHERE id = 'evt_n'`)
  database.close()
  const { sample, count } = await json<PlanView>(`${await serve(receiver)}/plans`, post({ action: 'replay' }))
  expect(count).toBe(501)
  // Of the oldest 200 and of the newest 200.
  expect(sample.map(({ id }) => id)).toEqual(['evt_n', 'evt_n100', 'evt_n301', 'evt_n400', 'evt_n500'])
})

it('a preview of a check counts 10,000 deliveries, by their cause', async () => {
  const { receiver } = await openInbox()
  const holding = (count: number): Receiver => ({
    ...receiver,
    quarantined: async (query) =>
      Array.from({ length: Math.min(count, query?.limit ?? 0) }, (_, at) => ({
        key: `payments/${at}`,
        place: count - at,
        code: at % 4 === 0 ? 'invalid_json' : 'invalid_data',
      })) as never,
    inspectQuarantined: async () => undefined,
  })
  const preview = async (count: number) =>
    json<VerificationPreview>(`${await serve(holding(count))}/quarantine/preview`, post({}))
  const full = {
    count: 10_000,
    codes: [
      { code: 'invalid_data', count: 7500 },
      { code: 'invalid_json', count: 2500 },
    ],
    sample: [],
  }
  expect(await preview(10_000)).toEqual({ ...full, isCapped: false, cursor: '10001' })
  expect(await preview(10_001)).toEqual({ ...full, isCapped: true, cursor: '10002' })
})

describe('whether a dead event was given up', () => {
  it.each<[state: string, lastError: string | undefined, may: boolean]>([
    ['dead', 'paid by hand', true],
    ['dead', undefined, true],
    ['dead', 'handler_failed: Error: no', false],
    ['dead', 'handler_failed', false],
    ['dead', 'constructor: x', true],
    ['failed', 'paid by hand', false],
  ])('may be, for a %s one with the error %j: %s', (state, lastError, may) => {
    expect(mayBeGivenUp({ state, ...(lastError !== undefined && { lastError }) } as never)).toBe(may)
  })

  const auditing = (...audits: object[]) => {
    const asked: unknown[] = []
    const receiver = {
      audits: async (query: unknown) => {
        asked.push(query)
        return audits
      },
    } as unknown as Receiver
    return { receiver, asked }
  }
  const event = { id: 'evt_1', receivedAt: '2026-01-01T00:00:10Z' }

  it('is told by the newest audit that can tell it, and not by one from before its arrival', async () => {
    const act_ = (action: string, at: string) => ({ action, at, actor: 'Ann' })
    const at = '2026-01-01T00:00:10Z'
    const of = (...audits: object[]) => givenUpOf(auditing(...audits).receiver, event, true)
    expect(await of(act_('giveUp', at))).toEqual({ at, actor: 'Ann' })
    expect(await of(act_('discard', at), act_('giveUp', at))).toEqual({ at, actor: 'Ann' })
    expect(await of(act_('replay', at), act_('giveUp', at))).toBeUndefined()
    expect(await of(act_('giveUp', '2026-01-01T00:00:09.999Z'))).toBeUndefined()
    expect(await of()).toBeUndefined()
    const { receiver, asked } = auditing(act_('giveUp', at))
    expect(await givenUpOf(receiver, event, false)).toEqual({ at })
    expect(asked).toEqual([{ eventId: 'evt_1', limit: 20 }])
  })

  it('is looked up for 200 events', async () => {
    const { receiver, asked } = auditing({ action: 'giveUp', at: event.receivedAt, actor: 'Ann' })
    const events = (count: number) => Array.from({ length: count }, () => event) as StoredEvent[]
    expect(await givenUpOfMany(receiver, events(200))).toEqual({ count: 200, lookedAt: 200 })
    expect(await givenUpOfMany(receiver, events(201))).toEqual({ count: 200, lookedAt: 200 })
    expect(asked).toHaveLength(400)
    expect(await givenUpOfMany(auditing().receiver, events(3))).toEqual({ count: 0, lookedAt: 3 })
  })
})

it('an event names its newest five copies', async () => {
  const versions = Array.from({ length: 7 }, (_, at) => ({
    id: `copy_${at}`,
    parent: at === 3 ? 'evt_other' : 'evt_1',
  }))
  const asked: unknown[] = []
  const receiver = {
    list: async (query: unknown) => {
      asked.push(query)
      return versions
    },
  } as unknown as Receiver
  const of = (over: object) => editedCopies(receiver, { id: 'evt_1', root: 'evt_0', ...over } as never)
  expect(await of({})).toEqual(['copy_0', 'copy_1', 'copy_2', 'copy_4', 'copy_5'])
  expect(asked).toEqual([{ root: 'evt_0', order: 'newest', limit: 100, bodies: false }])
  expect(await of({ id: 'evt_none' })).toBeUndefined()
  expect(await of({ root: undefined })).toBeUndefined()
})

it('an operation shows its newest 20 acts, with their persons for those who may know', async () => {
  const acts = Array.from({ length: 21 }, (_, at) => ({
    action: 'pauseRun',
    at: String(at),
    actor: 'Ann',
    reason: 'x',
  }))
  const run = { acts: async () => acts } as never
  expect(await runActs(run, true)).toEqual({ acts: acts.slice(0, 20) })
  expect(await runActs(run, false)).toEqual({
    acts: acts.slice(0, 20).map(({ action, at }) => ({ action, at })),
  })
})
