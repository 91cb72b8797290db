import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { AuditRow } from '../src/wire.js'
import { all } from './every-right.js'
import { act, listen, openFilledInbox, openInbox } from './rig.js'

it('replays and discards with the reason and the actor, and shows both', async () => {
  const { receiver, until } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, { ...all, actor: async () => 'operator' }))
  const replayed = await fetch(`${url}/api/events/evt_dead/replay`, act('the rail is back'))
  expect(await replayed.json()).toEqual({ generation: 1 })
  await until(({ dead }) => dead === 1)
  const event = await (await fetch(`${url}/api/events/evt_dead`)).json()
  expect(event).toMatchObject({
    state: 'dead',
    generation: 1,
    lastError: expect.stringContaining('evt_dead failed'),
    audits: [{ action: 'replay', actor: 'operator', reason: 'the rail is back', eventId: 'evt_dead' }],
  })
  expect(
    (
      await fetch(
        `${url}/api/events/evt_dead/discard`,
        act('a test event', {}, { seen: { state: 'dead', generation: 1 } }),
      )
    ).status,
  ).toBe(200)
  const undoUntil = expect.any(String)
  const [audit, earlier] = [{ action: 'discard' }, { action: 'replay' }]
  expect(await (await fetch(`${url}/api/events/evt_dead`)).json()).toMatchObject({
    discard: { actor: 'operator', at: expect.any(String), undoUntil },
    audits: [audit, earlier],
  })
  const [delivery] = await receiver.quarantined()
  const key = encodeURIComponent(delivery?.key ?? '')
  const done = await fetch(`${url}/api/quarantine/${key}/discard`, act('no event'))
  expect([done.status, await done.json()]).toEqual([200, { undoUntil }])
  expect(await (await fetch(`${url}/api/quarantine/${key}`)).json()).toMatchObject({
    discard: { actor: 'operator', undoUntil },
  })
  const { rows } = (await (await fetch(`${url}/api/audits`)).json()) as { rows: AuditRow[] }
  expect(rows.map(({ action, isOfDelivery }) => [action, isOfDelivery])).toEqual([
    ['discard', true],
    ['discard', undefined],
    ['replay', undefined],
  ])
})

it('does not run an event again for a second operator, nor for a second click', async () => {
  let isDown = true
  let credits = 0
  const inbox = await openInbox(undefined, {
    async 'account.credited'() {
      if (isDown) {
        throw new Error('the bank is down')
      }
      credits++
    },
  })
  await inbox.send('account.credited', {}, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  isDown = false
  const url = await listen(consoleHandler(inbox.receiver, all))
  const click = () => fetch(`${url}/api/events/evt_1/replay`, act('the bank is back'))
  const first = await Promise.all([click(), click()])
  expect(first.map(({ status }) => status).sort()).toEqual([200, 409])
  await inbox.until(({ done }) => done === 1)
  const late = await click()
  expect([late.status, await late.json()]).toMatchObject([409, { code: 'event_changed' }])
  await inbox.until(({ done }) => done === 1)
  expect(credits).toBe(1)
  expect(await inbox.receiver.audits()).toHaveLength(1)
})

it.each([
  ['flow/pause', { typ: 'transfer.settled' }],
  ['flow/pause', { endpoint: 'other' }],
  ['flow/pause', { type: ['transfer.settled'] }],
  ['flow/pause', { type: '' }],
  ['flow/pause', { resource: null }],
  ['flow/resume', { typ: 'transfer.settled' }],
  ['plans', { action: 'discard', where: null }],
  ['plans', { action: 'discard', where: 5 }],
  ['plans', { action: 'discard', where: ['dead'] }],
  ['plans', { action: 'discard', where: { type: '' } }],
])('does not widen what it acts on: %s %j', async (path, body) => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const answer = await fetch(`${url}/api/${path}`, act('a typing error', {}, { seen: undefined, ...body }))
  expect([answer.status, await receiver.paused(), await receiver.plans()]).toEqual([422, [], []])
})
