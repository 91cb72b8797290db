import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail, PlanView, RunView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, jsonUntil, listen, openFilledInbox, openInbox, openWaitingInbox } from './rig.js'

const waiting = { seen: { state: 'failed', generation: 0 } }

it('tries a failed event now, and gives one up, each as a run over one event', async () => {
  const inbox = await openWaitingInbox()
  const url = await listen(consoleHandler(inbox.receiver, all))
  const retried = await json<RunView>(`${url}/api/events/evt_failed/retry-now`, act('now', {}, waiting))
  expect(retried).toMatchObject({ action: 'retryNow', state: 'done', count: 1, applied: 1 })
  await jsonUntil<EventDetail>(`${url}/api/events/evt_failed`, ({ failures }) => failures === 2)
  const given = await json<RunView>(
    `${url}/api/events/evt_failed/give-up`,
    act('it never works', {}, waiting),
  )
  expect(given).toMatchObject({ action: 'giveUp', state: 'done', applied: 1 })
  const event = await json<EventDetail>(`${url}/api/events/evt_failed`)
  expect(event).toMatchObject({ state: 'dead', audits: [{ action: 'giveUp' }, { action: 'retryNow' }] })
  expect((await fetch(`${url}/api/events/evt_failed/retry-now`, act('now'))).status).toBe(422)
  const again = await fetch(`${url}/api/events/evt_failed/give-up`, act('now', {}, waiting))
  expect([again.status, await again.json()]).toMatchObject([409, { code: 'event_changed' }])
  expect((await fetch(`${url}/api/events/evt_none/give-up`, act('x'))).status).toBe(404)
})

it('says of a dead event who gave it up, as long as nobody replayed it', async () => {
  const { receiver, until } = await openWaitingInbox()
  const url = await listen(consoleHandler(receiver, all))
  const read = (at = url) => json<EventDetail>(`${at}/api/events/evt_failed`)
  expect(await read()).not.toHaveProperty('givenUp')
  const audit = { reason: 'paid by hand', actor: 'Anna' }
  await (await receiver.run(await receiver.plan({ action: 'giveUp' }), audit)).finished()
  expect(await read()).toMatchObject({
    state: 'dead',
    lastError: 'paid by hand',
    givenUp: { at: expect.any(String), actor: 'Anna' },
  })
  const authorize = (_: unknown, action: string) => action === 'events:read'
  const nameless = await read(await listen(consoleHandler(receiver, { ...all, authorize })))
  expect(nameless.givenUp).toEqual({ at: expect.any(String) })
  await receiver.replay('evt_failed', { reason: 'again', actor: 'Anna' })
  await until(({ failed }) => failed === 1)
  expect(await read()).not.toHaveProperty('givenUp')
  await (await receiver.run(await receiver.plan({ action: 'giveUp' }), audit)).finished()
  await receiver.discard('evt_failed', audit)
  await receiver.undo('evt_failed', audit)
  expect(await read()).toHaveProperty('givenUp')
})

it('does not say that an event was given up that was delivered again after its discard', async () => {
  const inbox = await openInbox()
  const { receiver } = inbox
  const url = await listen(consoleHandler(receiver, all))
  const audit = { reason: 'paid by hand', actor: 'Anna' }
  await receiver.pause({}, audit)
  await inbox.send('transfer.failed', {}, 'evt_again')
  const run = await receiver.run(await receiver.plan({ action: 'giveUp' }), audit)
  await run.finished()
  await receiver.discard('evt_again', audit)
  await receiver.resume({}, audit)
  await inbox.send('transfer.failed', {}, 'evt_again')
  await inbox.until(({ dead }) => dead === 1)
  expect(await json(`${url}/api/events/evt_again`)).not.toHaveProperty('givenUp')
})

it('says before each change what to know of the event', async () => {
  const { receiver } = await openWaitingInbox()
  const url = await listen(consoleHandler(receiver, all))
  const read = () => json<EventDetail>(`${url}/api/events/evt_failed`)
  expect((await read()).before).toMatchObject({ retryNow: '', replay: '' })
  const audit = { reason: 'customer cancelled', actor: 'Ann' }
  await (await receiver.run(await receiver.plan({ action: 'giveUp' }), audit)).finished()
  expect((await read()).before).toMatchObject({
    replay: 'Ann gave it up: customer cancelled.',
    discard:
      'It is deleted. You can undo this for 10 minutes. The sender got its 200, so it does not send it again by itself.',
  })
  const plan = await json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'replay' }))
  expect(plan.notes).toEqual(['Of these events, a person gave up 2. They run again too.'])
  expect(plan.sample.map(({ isGivenUp }) => isGivenUp)).toEqual([true, true])
  const { group = '' } = await read()
  expect(await json(`${url}/api/groups/${encodeURIComponent(group)}`)).toMatchObject({ dead: 1, givenUp: 1 })
})

it('runs a changed copy, and rejects that where a mask hides parts of the body', async () => {
  const inbox = await openInbox(undefined, { async 'ledger.noted'() {} })
  const { receiver, until: untilCounts } = inbox
  await inbox.send('transfer.failed', { transferId: 'tr_1' }, 'evt_dead')
  await untilCounts(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(receiver, all))
  const body = '{"id":"evt_dead","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":1.10}}'
  const { id } = await json<{ id: string }>(
    `${url}/api/events/evt_dead/replay-edited`,
    act('x', {}, { body }),
  )
  expect(id).toMatch(/^evt_edited_/)
  await untilCounts(({ done }) => done === 1)
  expect(await json(`${url}/api/events/${id}`)).toMatchObject({ state: 'done', parent: 'evt_dead' })
  expect((await fetch(`${url}/api/events/evt_dead/replay-edited`, act('x'))).status).toBe(422)
  const masked = await listen(consoleHandler(receiver, { ...all, mask: ['data.transferId'] }))
  const refused = await fetch(`${masked}/api/events/evt_dead/replay-edited`, act('x', {}, { body }))
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'masked_body' }])
})

it('does not replay an event beside an edited copy that was not shown', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const replay = (body: object) =>
    fetch(`${url}/api/events/evt_dead/replay`, act('the bank is back', {}, body))
  const body = (await receiver.inspect('evt_dead'))?.body ?? ''
  const copy = await receiver.replayEdited('evt_dead', { body }, { reason: 'known', actor: 'operator 2' })
  const late = await replay({ copies: [] })
  expect([late.status, await late.json()]).toMatchObject([
    409,
    { code: 'event_changed', detail: expect.stringContaining('an edited copy of it was run') },
  ])
  expect((await replay({ copies: 'none' })).status).toBe(422)
  expect((await receiver.inspect('evt_dead'))?.state).toBe('dead')
  expect((await json<EventDetail>(`${url}/api/events/evt_dead`)).copies).toEqual([copy])
  expect((await replay({ copies: [copy] })).status).toBe(200)
})

it('checks a quarantined delivery again', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const [delivery] = await receiver.quarantined()
  const path = `${url}/api/quarantine/${encodeURIComponent(delivery?.key ?? '')}`
  const rejection = { code: 'invalid_json' }
  expect(await json(path)).toMatchObject({ code: 'invalid_json', rejection })
  const answer = await json(`${path}/verify-again`, act('the schema is right now'))
  expect(answer).toMatchObject({ outcome: 'refused', code: 'invalid_json' })
  expect((await fetch(`${url}/api/quarantine/none/verify-again`, act('x'))).status).toBe(404)
})

it('says that an event has a number that was rounded', async () => {
  const inbox = await openInbox(undefined, {}, undefined, { inexactNumbers: 'round' })
  const send = (id: string, amount: string) =>
    inbox.sendRaw(
      `{"id":"${id}","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"amount":${amount}}}`,
    )
  await send('evt_rounded', '12345678901234567890')
  await send('evt_exact', '1234567890')
  const url = await listen(consoleHandler(inbox.receiver, all))
  expect(await json(`${url}/api/events/evt_rounded`)).toMatchObject({
    rounded: 'JavaScript cannot represent data.amount exactly',
  })
  expect(await json(`${url}/api/events/evt_exact`)).not.toHaveProperty('rounded')
})
