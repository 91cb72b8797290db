import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail, PlanView, QuarantineDetail } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox, openInbox, sharedStore } from './rig.js'

it('says before a change of an event what it does', async () => {
  let isWaiting = true
  const inbox = await openInbox(undefined, {
    async 'payout.sent'() {
      while (isWaiting) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  })
  await inbox.send('transfer.settled', {}, 'evt_done')
  await inbox.send('transfer.failed', {}, 'evt_dead')
  await inbox.send('payout.sent', {}, 'evt_runs')
  await inbox.until(({ done, dead }) => done === 1 && dead === 1)
  await expect.poll(async () => (await inbox.receiver.explain('evt_runs')).reason).toBe('running')
  const url = await listen(consoleHandler(inbox.receiver, all))
  const beforeOf = async (id: string) => (await json<EventDetail>(`${url}/api/events/${id}`)).before
  const dead = {
    replay: '',
    discard:
      'It is deleted. You can undo this for 10 minutes. The sender got its 200, so it does not send it again by itself.',
    retryNow: '',
    giveUp: 'The event becomes dead. It does not run until somebody replays it.',
    edit: '',
  }
  const running = 'A handler runs it now. Wait until that has ended, because this changes nothing before.'
  expect(await beforeOf('evt_dead')).toEqual(dead)
  expect(await beforeOf('evt_done')).toEqual({
    ...dead,
    replay: 'It was done before: its handler runs a second time.',
  })
  expect(await beforeOf('evt_runs')).toEqual({
    ...dead,
    retryNow: running,
    giveUp: `${dead.giveUp} ${running}`,
  })
  isWaiting = false
})

it('says before a change that a delivery with the same id waits, and that a number gets rounded', async () => {
  const inbox = await openInbox(undefined, {}, undefined, { inexactNumbers: 'round' })
  const bodyOf = (at: string) =>
    `{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"at":${at}}}`
  await inbox.sendRaw(bodyOf('12345678901234567890'))
  await inbox.sendRaw(bodyOf('1'))
  await inbox.until(({ dead, quarantined }) => dead === 1 && quarantined === 1)
  const url = await listen(consoleHandler(inbox.receiver, all))
  const { before } = await json<EventDetail>(`${url}/api/events/evt_1`)
  const other = 'A delivery with the same id and other content is in quarantine.'
  expect(before).toMatchObject({
    replay: `${other} This runs the stored event. Compare the two first.\nJavaScript cannot represent data.at exactly: the handler gets it rounded.`,
    discard: expect.stringMatching(/ This does not change that delivery\.$/),
    retryNow: `${other} This runs the stored event. Compare the two first.`,
    edit: `${other} Compare it with this event first.`,
  })
})

it('shows a discarded event whose window for undo has ended', async () => {
  const { receiver } = await openFilledInbox()
  await receiver.discard('evt_dead', { reason: 'a test', actor: 'Ann' })
  const url = await listen(consoleHandler({ ...receiver, undoable: async () => [] }, all))
  const found = await json(`${url}/api/events/evt_dead`)
  expect(found).toMatchObject({ discard: { actor: 'Ann' } })
  expect(found).not.toHaveProperty('was')
})

it('shows the id in the body of a delivery that is no event', async () => {
  const inbox = await openInbox()
  await inbox.sendRaw('{"id":"evt_partial","data":1,"data":2}')
  const [delivery] = await inbox.receiver.quarantined()
  const url = await listen(consoleHandler(inbox.receiver, all))
  const path = `${url}/api/quarantine/${encodeURIComponent(delivery?.key ?? '')}`
  expect(await json(path)).toMatchObject({ idInBody: 'evt_partial' })
})

it('notes nothing before a replay of events that no operator gave up', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.failed', {}, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(inbox.receiver, all))
  const plan = await json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'replay' }))
  expect([plan.count, plan.notes]).toEqual([1, []])
})

it('of a delivery on which a function of the program fails, says to fix that function', async () => {
  const store = await sharedStore()
  const first = await openInbox(store)
  const data = '{"at":12345678901234567890}'
  await first.sendRaw(
    `{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":${data}}`,
  )
  await first.until(({ quarantined }) => quarantined === 1)
  const resource = () => {
    throw new Error('no resource')
  }
  const second = await openInbox(store, {}, undefined, { inexactNumbers: 'round', resource })
  const [delivery] = await second.receiver.quarantined()
  const url = await listen(consoleHandler(second.receiver, all))
  const path = `${url}/api/quarantine/${encodeURIComponent(delivery?.key ?? '')}`
  expect(await json<QuarantineDetail>(path)).toMatchObject({
    rejection: { code: 'handler_failed', detail: 'in resource()' },
    warnings: ['JavaScript cannot represent data.at exactly: it was rounded'],
    advice: {
      fix: 'fix the function that the log of the program names, then verify the delivery again',
    },
  })
})
