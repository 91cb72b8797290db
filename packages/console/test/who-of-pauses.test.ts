import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail, PauseRow } from '../src/wire.js'
import { listen, openInbox } from './rig.js'

const reader = ['overview:read', 'events:read']

/** What a person with these rights gets about a pause of `target`. */
async function asked(target: object, rights: readonly string[], waiting = 'transfer.settled') {
  const { receiver, send } = await openInbox()
  await receiver.pause(target, { reason: 'compliance asks', actor: 'operator 2' })
  await send(waiting, {}, 'evt_waits')
  const options = { authorize: (_: unknown, right: string) => rights.includes(right), readOnly: true }
  const url = await listen(consoleHandler(receiver, options))
  const pauses = await (await fetch(`${url}/api/flow/pauses`)).text()
  const event = await (await fetch(`${url}/api/events/evt_waits`)).text()
  return {
    text: pauses + event,
    pause: (JSON.parse(pauses) as PauseRow[])[0],
    explanation: (JSON.parse(event) as EventDetail).explanation,
  }
}

it.each([
  [{}, 'the endpoint payments'],
  [{ type: 'transfer.settled' }, 'the type transfer.settled'],
])('without the right audits:read it is not said who paused and why: %j', async (target, what) => {
  const { text, pause, explanation } = await asked(target, reader)
  expect(text).not.toMatch(/operator 2|compliance/)
  expect(pause).toEqual({ ...target, at: pause?.at })
  expect(explanation).toMatchObject({
    reason: 'paused',
    sentence: `Event evt_waits waits because ${what} is paused since ${pause?.at}.`,
    times: [pause?.at],
  })
})

it('the right audits:read shows who paused and why', async () => {
  const { pause, explanation } = await asked({}, [...reader, 'audits:read'])
  expect(pause).toMatchObject({ actor: 'operator 2', reason: 'compliance asks' })
  expect(explanation?.sentence).toContain('because operator 2 paused the endpoint payments at')
  expect(explanation?.sentence).toContain('compliance asks')
})
