import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { PlanView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox, openInbox } from './rig.js'

/** A delivery with a number that a handler would get rounded. */
const inexact = (id: string, number: string) =>
  `{"id":"${id}","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"at":${number}}}`

it('leads from an id that no event has to its newest delivery in quarantine', async () => {
  const { receiver, sendRaw } = await openInbox()
  await sendRaw(inexact('evt_other', '12345678901234567890'))
  await sendRaw(inexact('evt_inexact', '12345678901234567891'))
  await sendRaw(inexact('evt_inexact', '12345678901234567892'))
  await sendRaw('no JSON')
  const newest = (await receiver.quarantined()).find(({ eventId }) => eventId === 'evt_inexact')
  const read = async (id: string, over: object = {}) => {
    const url = await listen(consoleHandler(receiver, { ...all, ...over }))
    const response = await fetch(`${url}/api/events/${encodeURIComponent(id)}`)
    return [response.status, await response.json()]
  }
  const quarantined = { code: 'invalid_data', key: newest?.key }
  expect(await read('evt_inexact')).toEqual([200, { quarantined }])
  expect(await read(newest?.key as string)).toEqual([200, { quarantined }])
  expect((await read('evt_none'))[0]).toBe(404)
  const sealed = await read('evt_inexact', { mask: ['data.at'] })
  expect(sealed).toMatchObject([200, { quarantined: { code: 'invalid_data' } }])
  expect(JSON.stringify(sealed)).not.toContain(newest?.bodyHash)
})

it('says beside an event that a delivery with its id is in quarantine, also after its discard', async () => {
  const { receiver, sendRaw } = await openFilledInbox()
  await sendRaw(
    '{"id":"evt_dead","type":"transfer.failed","created_at":"2026-01-01T00:00:00Z","data":{"amount":88}}',
  )
  const [delivery] = await receiver.quarantined({ code: 'event_id_conflict' })
  const quarantined = { code: 'event_id_conflict', key: delivery?.key }
  const url = await listen(consoleHandler(receiver, { ...all, actor: () => 'Bob' }))
  const event = `${url}/api/events/evt_dead`
  expect(await json(event)).toMatchObject({ state: 'dead', quarantined })
  expect((await fetch(`${event}/discard`, act('twice'))).status).toBe(200)
  const [seen] = await receiver.undoable('evt_dead')
  const discarded = { discard: { actor: 'Bob', undoUntil: seen?.undoUntil }, quarantined }
  expect(await json(event)).toMatchObject({ ...discarded, audits: [{ action: 'discard', actor: 'Bob' }] })
})

it('says in a preview how many of its events have another delivery in quarantine', async () => {
  const { receiver, send, sendRaw, until } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const notes = async () => {
    const plan = await json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'replay' }))
    return plan.notes
  }
  const rest =
    'another delivery with the same id in quarantine. Compare the two first: only the stored event is changed here.'
  const conflict = (id: string) =>
    sendRaw(
      `{"id":"${id}","type":"transfer.failed","created_at":"2026-01-01T00:00:00Z","data":{"amount":88}}`,
    )
  expect(await notes()).toEqual([])
  await conflict('evt_dead')
  expect(await notes()).toEqual([`1 of these events has ${rest}`])
  await send('transfer.failed', {}, 'evt_too')
  await until(({ dead }) => dead === 2)
  await conflict('evt_too')
  expect(await notes()).toEqual([`2 of these events have ${rest}`])
})
