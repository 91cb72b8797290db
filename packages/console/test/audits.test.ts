import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { AuditRow, Page } from '../src/wire.js'
import { all } from './every-right.js'
import { type Inbox, listen, type MakeStore, openFilledInbox, openInbox, sqliteFile } from './rig.js'

type Ask = (query: string) => Promise<Page<AuditRow>>

async function reader({ receiver }: Inbox): Promise<Ask> {
  const url = await listen(consoleHandler(receiver, all))
  return async (query) => (await (await fetch(`${url}/api/audits?${query}`)).json()) as Page<AuditRow>
}

const briefly = ({ rows }: Page<AuditRow>) =>
  rows.map(({ action, actor, count, eventId }) => [action, actor, count ?? eventId])

/** Thirty dead events that a run discards and that are restored. One is replayed before and one meanwhile. */
async function openBusy() {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  for (let at = 0; at < 30; at++) {
    await inbox.send('transfer.failed', {}, `evt_${at}`)
  }
  await inbox.until(({ dead }) => dead === 30)
  const { receiver } = inbox
  await receiver.replay('evt_3', { reason: 'a try', actor: 'Ada' })
  await inbox.until(({ dead }) => dead === 30)
  const plan = await receiver.plan({ action: 'discard' })
  const run = await receiver.run(plan, { reason: 'duplicates', actor: 'Ben', perSecond: 1000 })
  await run.finished()
  await receiver.undo(run.id, { reason: 'too many', actor: 'Ada Two' })
  return { inbox, run: run.id, file }
}

it('an operation is one line, and its events are there on demand', async () => {
  const { inbox, run } = await openBusy()
  const ask = await reader(inbox)
  const { rows, next } = await ask('')
  expect([briefly({ rows }), next]).toEqual([
    [
      ['undo', 'Ada Two', 30],
      ['discard', 'Ben', 30],
      ['replay', 'Ada', 'evt_3'],
    ],
    undefined,
  ])
  const [undo, discard] = rows
  expect(discard).toMatchObject({ run, reason: 'duplicates' })
  const each = await ask(`run=${run}&limit=200`)
  expect(each.rows.map(({ action }) => action)).toEqual([
    ...Array(30).fill('undo'),
    ...Array(30).fill('discard'),
    'startRun',
  ])
  // An entry of its own names its event, and has no count.
  expect(new Set(each.rows.map(({ eventId }) => eventId))).toHaveProperty('size', 31)
  expect(each.rows.filter(({ count }) => count !== undefined)).toEqual([])
  const restored = await ask(`action=undo&since=${undo?.since}&until=${undo?.at}&single=true&limit=200`)
  expect(restored.rows).toHaveLength(30)
})

it('two people who undo parts of an operation have a line each, with their reason', async () => {
  const { store } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  const { receiver } = inbox
  for (let at = 0; at < 13; at++) {
    await inbox.send('transfer.failed', {}, `evt_${at}`)
  }
  await inbox.until(({ dead }) => dead === 13)
  const plan = await receiver.plan({ action: 'discard' })
  const run = await receiver.run(plan, { reason: 'duplicates', actor: 'Ben', perSecond: 1000 })
  await run.finished()
  await receiver.undo('evt_7', { reason: 'needed that one', actor: 'Ada' })
  await receiver.undo(run.id, { reason: 'all back', actor: 'Ben' })
  const { rows } = await (await reader(inbox))('')
  expect(rows.map(({ actor, reason, count, eventId }) => [actor, reason, count ?? eventId])).toEqual([
    ['Ben', 'all back', 12],
    ['Ada', 'needed that one', 'evt_7'],
    ['Ben', 'duplicates', 13],
  ])
})

/** Deliveries that are valid now, and two people who release half of them each at the same time. */
async function openReleased(makeStore: MakeStore) {
  const before = await openInbox(makeStore)
  for (let at = 0; at < 8; at++) {
    await before.sendRaw(
      `{"id":"evt_${at}","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}`,
    )
  }
  await before.receiver.stop()
  const inbox = await openInbox(makeStore, { async 'ledger.noted'() {} }, {}, { inexactNumbers: 'round' })
  for (const [at, { key }] of (await inbox.receiver.quarantined()).entries()) {
    await inbox.receiver.verifyAgain({ key }, { reason: 'rounded now', actor: at % 2 === 0 ? 'Ada' : 'Ben' })
  }
  return inbox
}

it('a check of many deliveries is one line for each person, and its audits are there on demand', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openReleased(async () => store)
  const ask = await reader(inbox)
  const { rows } = await ask('')
  expect(briefly({ rows })).toEqual([
    ['verifyAgain', 'Ben', 4],
    ['verifyAgain', 'Ada', 4],
  ])
  expect(rows[0]).not.toHaveProperty('subject')
  const { since, at } = rows[0] as AuditRow
  const each = await ask(`actor=Ben&action=verifyAgain&since=${since}&until=${at}&single=true`)
  expect(each.rows.map(({ eventId }) => eventId).toSorted()).toHaveLength(4)
  expect(each.rows[0]).toHaveProperty('subject')
  // Another day, with the same reason.
  const database = new Libsql(file)
  database.exec(`UPDATE webhook_inbox_audits SET at = at - 86400000 WHERE event_id IN ('evt_7', 'evt_6')`)
  database.close()
  expect(briefly(await ask(''))).toEqual([
    ['verifyAgain', 'Ben', 3],
    ['verifyAgain', 'Ada', 3],
    ['verifyAgain', 'Ben', 'evt_6'],
    ['verifyAgain', 'Ada', 'evt_7'],
  ])
})

it('an undo of deliveries is not one line with an undo of events', async () => {
  const inbox = await openFilledInbox()
  const { receiver } = inbox
  await inbox.sendRaw('no JSON either')
  const audit = { reason: 'a test', actor: 'Ada' }
  const keys = (await receiver.quarantined()).map(({ key }) => key)
  for (const of of ['evt_dead', ...keys]) {
    await receiver.discard(of, audit)
    await receiver.undo(of, audit)
  }
  const { rows } = await (await reader(inbox))('action=undo')
  expect(rows.map(({ count, isOfDelivery, eventId }) => [count ?? eventId, isOfDelivery])).toEqual([
    [2, true],
    ['evt_dead', undefined],
  ])
})

it('pages end between lines, and a run that goes on keeps its whole count', async () => {
  const { inbox } = await openBusy()
  const ask = await reader(inbox)
  const lines: unknown[] = []
  let next: string | undefined = ''
  while (next !== undefined) {
    const page: Page<AuditRow> = await ask(`limit=1&cursor=${next}`)
    expect(page.rows).toHaveLength(1)
    lines.push(...briefly(page))
    next = page.next
  }
  expect(lines).toEqual(briefly(await ask('')))
})

it.each([
  ['actor=ada', ['undo', 'replay']],
  ['actor=ben', ['discard']],
  ['action=discard', ['discard']],
  ['event=evt_3', ['undo', 'discard', 'replay']],
  ['event=evt_3&actor=ada&action=replay', ['replay']],
  ['actor=nobody', []],
  ['event=evt_none', []],
])('finds by %s', async (query, actions) => {
  const ask = await reader((await openBusy()).inbox)
  expect((await ask(query)).rows.map(({ action }) => action)).toEqual(actions)
})

it('finds by time, and skips what is newer without reading it', async () => {
  const { inbox, file } = await openBusy()
  const day = 24 * 60 * 60_000
  const database = new Libsql(file)
  // The replay was three days ago, and the run yesterday.
  database.exec(`UPDATE webhook_inbox_audits SET at = at - CASE WHEN action = 'replay' THEN ${3 * day}
    WHEN action = 'undo' THEN 0 ELSE ${day} END`)
  database.close()
  const ask = await reader(inbox)
  const before = (days: number) => new Date(Date.now() - days * day).toISOString()
  const actions = async (query: string) => (await ask(query)).rows.map(({ action }) => action)
  expect(await actions(`since=${before(0.5)}`)).toEqual(['undo'])
  expect((await ask(`since=${before(0.5)}`)).searched).toBe(30)
  expect(await actions(`since=${before(2)}&until=${before(0.5)}`)).toEqual(['discard'])
  expect(await actions(`until=${before(2)}`)).toEqual(['replay'])
  expect(await actions(`until=${before(4)}`)).toEqual([])
  expect((await ask(`until=${before(2)}`)).searched).toBeLessThanOrEqual(2)
})

it('reads a limited number of entries, and says where to continue', async () => {
  const { inbox, file } = await openBusy()
  const database = new Libsql(file)
  database.exec(`
    INSERT INTO webhook_inbox_audits (at, action, endpoint, reason, actor)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 6000)
    SELECT max(at), 'pause', 'payments', 'flood', 'Cy' FROM webhook_inbox_audits, numbers GROUP BY n`)
  database.close()
  const ask = await reader(inbox)
  const first = await ask('actor=ben')
  expect([first.rows, first.searched]).toEqual([[], 5000])
  const second = await ask(`actor=ben&cursor=${first.next}`)
  expect([briefly(second), second.next]).toEqual([[['discard', 'Ben', 30]], undefined])
})

it('rejects a time that cannot be read', async () => {
  const ask = await reader(await openInbox())
  expect(await ask('since=yesterday')).toMatchObject({ code: 'invalid_request' })
})
