import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail, GroupDetail } from '../src/wire.js'
import { all } from './every-right.js'
import { act, asShown, json, listen, openFilledInbox, openInbox, sqliteFile } from './rig.js'

/** Adds the audits of a large run. */
function addRun(file: string): void {
  const database = new Libsql(file)
  database.exec(`
    INSERT INTO webhook_inbox_audits (at, action, endpoint, key, run, reason, actor)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 6000)
    SELECT max(at), 'replay', 'payments', 'key-' || n, 'run-1', 'again', 'Cy'
    FROM webhook_inbox_audits, numbers GROUP BY n`)
  database.close()
}

it('a cause shows who changed it before a large run', async () => {
  const { store, file } = await sqliteFile()
  const { receiver } = await openFilledInbox(async () => store)
  const url = await listen(consoleHandler(receiver, all))
  const [group] = await receiver.failures()
  const path = `${url}/api/groups/${encodeURIComponent(group?.group ?? '')}`
  await fetch(`${path}/acknowledge`, act('known', {}, await asShown(path)))
  addRun(file)
  expect((await json<GroupDetail>(path)).audits).toMatchObject([{ action: 'acknowledgeGroup' }])
})

it('a delivery shows its release before a large run', async () => {
  const { store, file } = await sqliteFile()
  const makeStore = async () => store
  await (await openInbox(makeStore)).sendRaw(
    '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}',
  )
  const { receiver } = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round' })
  const [delivery] = await receiver.quarantined()
  await receiver.verifyAgain({}, { reason: 'rounded now', actor: 'operator 2' })
  addRun(file)
  const url = await listen(consoleHandler(receiver, all))
  const shown = await json<object>(`${url}/api/quarantine/${encodeURIComponent(delivery?.key ?? '')}`)
  expect(shown).toMatchObject({ released: { eventId: 'evt_1', actor: 'operator 2' } })
})

it('an event shows who made an edited copy of it', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const body = '{"id":"evt_dead","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":1}}'
  const copies: string[] = []
  for (const reason of ['the first', 'the second']) {
    const answer = await json<{ id: string }>(
      `${url}/api/events/evt_dead/replay-edited`,
      act(reason, {}, { body, copies }),
    )
    copies.unshift(answer.id)
  }
  await fetch(`${url}/api/events/evt_dead/replay`, act('the bank is back'))
  const { audits } = await json<EventDetail>(`${url}/api/events/evt_dead`)
  expect(audits).toMatchObject([
    { action: 'replay', reason: 'the bank is back' },
    { action: 'replayEdited', eventId: copies[0], reason: 'the second' },
    { action: 'replayEdited', eventId: copies[1], reason: 'the first' },
  ])
  expect((await json<EventDetail>(`${url}/api/events/${copies[1]}`)).audits).toMatchObject([
    { action: 'replayEdited', reason: 'the first' },
  ])
})
