import Libsql from 'libsql'
import { expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import type {
  AuditRow,
  EventDetail,
  EventRow,
  GroupDetail,
  Page,
  PlanView,
  QuarantineList,
} from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox, openInbox, sqliteFile } from './rig.js'

const audit = { reason: 'a test', actor: 'Ann' }

async function openFile() {
  const { store, file } = await sqliteFile()
  const inbox = await openFilledInbox(async () => store)
  const sql = (text: string) => {
    const database = new Libsql(file)
    database.exec(text)
    database.close()
  }
  return { ...inbox, sql, api: `${await listen(consoleHandler(inbox.receiver, all))}/api` }
}

const numbers = (count: number) =>
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${count})`

/** Ended operations that are newer than every other one. */
const endedRuns = (count: number) => `
  INSERT INTO webhook_inbox_plans (id, endpoint, action, conditions, count, is_capped, is_ready, created_at)
  VALUES ('plan-old', 'payments', 'replay', '{}', 1, 0, 1, 1);
  INSERT INTO webhook_inbox_runs
    (id, plan, reason, actor, per_second, canary, is_past_canary, state, applied, place, created_at, ended_at)
  ${numbers(count)}
  SELECT 'run-' || n, 'plan-old', 'a test', 'operator', 1, 0, 1, 'done', 0, 0, 9e12, 9e12 FROM numbers`

it('a preview finds an operation behind hundreds of newer ones that have ended', async () => {
  const { receiver, sql, api } = await openFile()
  const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
  await run.pause(audit)
  sql(endedRuns(300))
  const preview = await json<PlanView>(`${api}/plans`, act('', {}, { action: 'replay' }))
  expect(preview.underWay.map(({ id }) => id)).toEqual([run.id])
})

it('a preview names five operations', async () => {
  const { receiver, api } = await openFile()
  const ids: string[] = []
  for (let at = 0; at < 6; at++) {
    const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, perSecond: 0.001 })
    await run.pause(audit)
    ids.unshift(run.id)
  }
  const preview = await json<PlanView>(`${api}/plans`, act('', {}, { action: 'replay' }))
  expect(preview.underWay.map(({ id }) => id)).toEqual(ids.slice(0, 5))
})

it('a cause finds its operations behind hundreds of newer ones', async () => {
  const { receiver, sql, api, until } = await openFile()
  const group = (await receiver.inspect('evt_dead'))?.group as string
  const run = await receiver.run(await receiver.plan({ action: 'replay', where: { group } }), audit)
  await run.finished()
  await until(({ dead }) => dead === 1)
  sql(endedRuns(300))
  const { audits } = await json<GroupDetail>(`${api}/groups/${encodeURIComponent(group)}`)
  expect(audits).toEqual([
    {
      id: run.id,
      at: expect.any(String),
      action: 'replay',
      actor: 'Ann',
      reason: 'a test',
      run: run.id,
      count: 1,
    },
  ])
})

it('an event shows the newest 20 audits, of itself and of its copies', async () => {
  const { receiver, sql, api } = await openFile()
  const body = (await receiver.inspect('evt_dead'))?.body ?? ''
  const copy = await receiver.replayEdited('evt_dead', { body }, audit)
  sql(`
    INSERT INTO webhook_inbox_audits (at, action, endpoint, key, event_id, reason, actor)
    ${numbers(19)}
    SELECT 1, 'replay', endpoint, key, id, 'reason ' || n, 'Ann' FROM numbers, webhook_inbox_events WHERE id = 'evt_dead'`)
  const audits = async () => (await json<EventDetail>(`${api}/events/evt_dead`)).audits ?? []
  const twenty = await audits()
  expect(twenty.map(({ reason }) => reason)).toEqual([
    ...Array.from({ length: 19 }, (_, at) => `reason ${19 - at}`),
    'a test',
  ])
  expect(twenty.at(-1)).toMatchObject({ action: 'replayEdited', eventId: copy, subject: 'evt_dead' })
  await receiver.replay('evt_dead', { reason: 'one more', actor: 'Ann' })
  const newest = await audits()
  expect([newest.length, newest[0]?.reason, newest.at(-1)?.reason]).toEqual([20, 'one more', 'reason 1'])
})

it('who discarded a delivery is found behind hundreds of other audits', async () => {
  const { receiver, sql, api } = await openFile()
  const [{ key = '' } = {}] = await receiver.quarantined()
  await receiver.discard(key, { reason: 'no event', actor: 'Bob' })
  sql(`INSERT INTO webhook_inbox_audits (at, action, endpoint, reason, actor)
    ${numbers(400)} SELECT 1, 'pause', 'payments', 'flood', 'Cy' FROM numbers`)
  const { audits } = await json<{ audits: AuditRow[] }>(`${api}/quarantine/${encodeURIComponent(key)}`)
  expect(audits).toMatchObject([{ action: 'discard', actor: 'Bob', reason: 'no event', isOfDelivery: true }])
  const detail = async (path: string, body: object) =>
    (await json<{ detail: string }>(`${api}/${path}`, act('x', {}, body))).detail
  expect(await detail(`quarantine/${encodeURIComponent(key)}/discard`, {})).toContain('by Bob: no event.')
})

it('an undo names who discarded that event again, and not who discarded another one', async () => {
  const { receiver, send, until, api } = await openFile()
  await send('transfer.failed', {}, 'evt_other')
  await until(({ dead }) => dead === 2)
  await receiver.discard('evt_dead', { reason: 'twice', actor: 'Bob' })
  await receiver.discard('evt_other', { reason: 'another', actor: 'Cy' })
  const seen = { undoUntil: '2026-01-01T00:00:00.000Z' }
  const said = await json<{ detail: string }>(
    `${api}/undo`,
    act('x', {}, { of: 'evt_dead', kind: 'event', seen }),
  )
  expect(said.detail).toMatch(
    /^The discard that was shown has ended\. It was discarded again at .+ by Bob: twice\./,
  )
})

it('a list shows the ids in bodies that are no events, to those who may read them, while they are small', async () => {
  const inbox = await openInbox()
  await inbox.sendRaw('{"id":"evt_partial","data":1,"data":2}')
  await inbox.sendRaw('no JSON')
  await inbox.until(({ quarantined }) => quarantined === 2)
  const idsOf = async (over: object = {}, receiver: Receiver = inbox.receiver) => {
    const url = await listen(consoleHandler(receiver, { ...all, ...over }))
    const { rows } = await json<QuarantineList>(`${url}/api/quarantine`)
    return rows.map(({ idInBody }) => idInBody)
  }
  expect(await idsOf()).toEqual([undefined, 'evt_partial'])
  expect(await idsOf({ authorize: (_: unknown, right: string) => right !== 'bodies:read' })).toEqual([
    undefined,
    undefined,
  ])
  const large = (bytes: number): Receiver => ({
    ...inbox.receiver,
    quarantined: async (query) =>
      (await inbox.receiver.quarantined(query)).map((each) => ({ ...each, bodyBytes: bytes / 2 })),
  })
  expect(await idsOf({}, large(1_000_000))).toEqual([undefined, 'evt_partial'])
  expect(await idsOf({}, large(1_000_002))).toEqual([undefined, undefined])
})

it.each([
  ['{"id":"","data":1}', undefined],
  [`{"id":"${'x'.repeat(512)}"}`, 'x'.repeat(512)],
  [`{"id":"${'x'.repeat(513)}"}`, undefined],
  ['{"id":7}', undefined],
  ['null', undefined],
  ['["id"]', undefined],
])('the id in the body %s is %j', async (body, id) => {
  const inbox = await openInbox()
  await inbox.sendRaw(body)
  const url = await listen(consoleHandler(inbox.receiver, all))
  const { rows } = await json<QuarantineList>(`${url}/api/quarantine`)
  expect(rows.map(({ idInBody }) => idInBody)).toEqual([id])
})

/** A receiver with events without end, all with the same body. */
async function openEndless(bytes: number, resource?: string): Promise<Receiver> {
  const { receiver } = await openFilledInbox()
  const [event] = await receiver.list({ limit: 1 })
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', data: { name: 'Ada' } }).padEnd(bytes))
  return {
    ...receiver,
    list: async ({ limit = 0, after = 'key_0' } = {}) =>
      Array.from({ length: limit }, (_, at) => ({
        ...event,
        ...(resource !== undefined && { resource }),
        body,
        bodyBytes: bytes,
        key: `key_${Number(after.slice(4)) + at + 1}`,
      })),
  } as Receiver
}

it('a search in bodies stops after 16 MiB, and says where to continue', async () => {
  const megabyte = 1024 * 1024
  const url = await listen(consoleHandler(await openEndless(megabyte), all))
  const page = await json<Page<EventRow>>(`${url}/api/events?state=dead&body=data.name:none`)
  expect(page).toEqual({ rows: [], searched: 16, next: 'key_16' })
})

it.each([
  [100, 2000],
  [1024 * 1024, 16],
])(
  'a search for a hidden resource in bodies of %i bytes ends after %i, as if there were none',
  async (bytes, most) => {
    const endless = await openEndless(bytes, 'Ada')
    let read = 0
    const counting = {
      ...endless,
      async list(query: Parameters<Receiver['list']>[0]) {
        const events = await endless.list(query)
        read = Math.max(read, ...events.map(({ key }) => Number(key.slice(4)) - (query?.limit ?? 0)))
        return events
      },
    }
    const url = await listen(consoleHandler(counting, { ...all, mask: ['data.name'] }))
    expect(await json(`${url}/api/events?resource=Ada`)).toEqual({ rows: [] })
    expect(read).toBeLessThan(most)
  },
)
