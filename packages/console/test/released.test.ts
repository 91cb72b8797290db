import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { type Inbox, listen, openInbox, sharedStore } from './rig.js'

const withNumber =
  '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}'

/** What the API says of a delivery. */
async function shown(receiver: Inbox['receiver'], key: string | undefined, rights: readonly string[]) {
  const authorize = (_: unknown, action: string) => rights.includes(action)
  const url = await listen(consoleHandler(receiver, { authorize, readOnly: true }))
  return (await fetch(`${url}/api/quarantine/${encodeURIComponent(key ?? '')}`)).json()
}

const audit = { reason: 'rounded now', actor: 'operator 2' }

it('who released a delivery is shown with the right audits:read alone', async () => {
  const makeStore = await sharedStore()
  await (await openInbox(makeStore)).sendRaw(withNumber)
  const { receiver } = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round' })
  const [delivery] = await receiver.quarantined()
  await receiver.verifyAgain({}, audit)
  const at = expect.any(String)
  expect(await shown(receiver, delivery?.key, ['events:read'])).toEqual({
    released: { at, eventId: 'evt_1' },
  })
  expect(await shown(receiver, delivery?.key, ['events:read', 'audits:read'])).toEqual({
    released: { at, eventId: 'evt_1', actor: 'operator 2' },
  })
})

it('a delivery that came back after its release, and was discarded then, is discarded', async () => {
  const makeStore = await sharedStore()
  const strict = await openInbox(makeStore)
  await strict.sendRaw(withNumber)
  const { receiver } = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round' })
  await receiver.verifyAgain({}, audit)
  await strict.sendRaw(withNumber)
  const [again] = await receiver.quarantined()
  await receiver.discard(again?.key ?? '', { reason: 'it is an event', actor: 'operator 3' })
  expect(await shown(receiver, again?.key, ['events:read', 'audits:read'])).toMatchObject({
    discard: { actor: 'operator 3', undoUntil: expect.any(String) },
  })
})

it('a released event has the time of its delivery', async () => {
  const makeStore = await sharedStore()
  const strict = await openInbox(makeStore)
  await strict.sendRaw(withNumber)
  const { receiver } = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round' })
  const [delivery] = await receiver.quarantined()
  await receiver.verifyAgain({}, audit)
  const authorize = (_: unknown, action: string) => action === 'events:read'
  const url = await listen(consoleHandler(receiver, { authorize, readOnly: true }))
  const event = await (await fetch(`${url}/api/events/evt_1`)).json()
  expect(event.deliveredAt).toBe(delivery?.receivedAt)
})
