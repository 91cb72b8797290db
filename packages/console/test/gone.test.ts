import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { all } from './every-right.js'
import { act, listen, openFilledInbox, openInbox, sharedStore } from './rig.js'

const anna = { reason: 'known to the bank', actor: 'Anna' }
const without = { authorize: (_: unknown, action: string) => action !== 'audits:read' }

/** What a change is told on a console with every right, and on one without the audits. */
const ask = async (receiver: Awaited<ReturnType<typeof openInbox>>['receiver'], path: string) =>
  Promise.all(
    [{}, without].map(async (over) => {
      const url = await listen(consoleHandler(receiver, { ...all, ...over }))
      const response = await fetch(`${url}/api/${path}`, act('a test'))
      return [response.status, ((await response.json()) as { detail?: string }).detail]
    }),
  )

const whoIn = (fact: string, word: string) =>
  expect.stringMatching(new RegExp(`^${fact} It was ${word} at 20\\S+Z by Anna: known to the bank\\.`))

it('says to a change of an event or a delivery who discarded it', async () => {
  const { receiver } = await openFilledInbox()
  const [delivery] = await receiver.quarantined()
  const path = `quarantine/${encodeURIComponent(delivery?.key ?? '')}`
  await receiver.discard('evt_dead', anna)
  await receiver.discard(delivery?.key ?? '', anna)
  const noDelivery = 'No delivery is quarantined under this key.'
  for (const verb of ['discard', 'verify-again']) {
    expect(await ask(receiver, `${path}/${verb}`)).toEqual([
      [404, whoIn(noDelivery, 'discarded')],
      [404, expect.stringContaining(`${noDelivery} An operator may have discarded or released it.`)],
    ])
  }
  const noEvent = 'There is no event with this id.'
  for (const verb of ['discard', 'replay', 'give-up']) {
    expect(await ask(receiver, `events/evt_dead/${verb}`)).toEqual([
      [404, whoIn(noEvent, 'discarded')],
      [404, expect.stringContaining(`${noEvent} It may have been discarded or pruned.`)],
    ])
  }
  expect((await ask(receiver, 'events/evt_none/replay'))[0]?.[1]).toContain('It may have been')
})

it('says to a change of a delivery who released it', async () => {
  const makeStore = await sharedStore()
  await (await openInbox(makeStore)).sendRaw(
    '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}',
  )
  const { receiver } = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round' })
  const [delivery] = await receiver.quarantined()
  await receiver.verifyAgain({}, anna)
  expect(await ask(receiver, `quarantine/${encodeURIComponent(delivery?.key ?? '')}/discard`)).toEqual([
    [404, whoIn('No delivery is quarantined under this key.', 'released from quarantine')],
    [404, expect.stringContaining('An operator may have discarded or released it.')],
  ])
})
