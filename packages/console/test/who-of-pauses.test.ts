import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { unnamedSentence } from '../src/views/explanation.js'
import type { EventDetail, PauseRow, RunDetail } from '../src/wire.js'
import { json, listen, openFilledInbox, openInbox, sqliteFile } from './rig.js'

const reader = ['overview:read', 'events:read']
const pausing = { reason: 'compliance asks', actor: 'operator 2' }

const options = (rights: readonly string[]) => ({
  authorize: (_: unknown, right: string) => rights.includes(right),
  readOnly: true,
})

/** What a person with these rights gets about a pause of `target`. */
async function asked(target: object, rights: readonly string[]) {
  const { receiver, send } = await openInbox(undefined, {}, undefined, { resource: () => 'tr_1' })
  await receiver.pause(target, pausing)
  await send('transfer.settled', {}, 'evt_waits')
  const url = await listen(consoleHandler(receiver, options(rights)))
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
  [{ resource: 'tr_1' }, 'the resource tr_1'],
])('without the right audits:read nothing says who paused and why: %j', async (target, what) => {
  const { text, pause, explanation } = await asked(target, reader)
  expect(text).not.toMatch(/operator 2|compliance/)
  expect(pause).toEqual({ ...target, at: pause?.at })
  expect(explanation).toMatchObject({
    reason: 'paused',
    sentence: `Event evt_waits waits because ${what} was paused at ${pause?.at}.`,
    times: [pause?.at],
  })
})

it('the right audits:read shows who paused and why', async () => {
  const { pause, explanation } = await asked({}, [...reader, 'audits:read'])
  expect(pause).toMatchObject({ actor: 'operator 2', reason: 'compliance asks' })
  expect(explanation?.sentence).toContain('because operator 2 paused the endpoint payments at')
  expect(explanation?.sentence).toContain('compliance asks')
})

it('what a canary waits for names who paused with the right audits:read alone', async () => {
  const { receiver, send, until } = await openFilledInbox()
  await send('transfer.failed', {}, 'evt_dead_too')
  await until(({ dead }) => dead === 2)
  await receiver.pause({}, pausing)
  const plan = await receiver.plan({ action: 'replay' })
  const { id } = await receiver.run(plan, { reason: 'again', actor: 'operator 3', canary: 1 })
  const read = async (rights: readonly string[]) => {
    const url = await listen(consoleHandler(receiver, options(rights)))
    for (;;) {
      const run = (await (await fetch(`${url}/api/runs/${id}`)).json()) as RunDetail
      if (run.canaryWait) {
        return JSON.stringify(run.canaryWait)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  expect(await read([...reader, 'audits:read'])).toMatch(/operator 2.*compliance asks/)
  const unnamed = await read(reader)
  expect(unnamed).toContain('waits because the endpoint payments was paused at')
  expect(unnamed).not.toMatch(/operator|compliance/)
})

const pausedAt = '2026-01-01T00:00:00.000Z'

it.each([
  ['with', [...reader, 'audits:read'], 'operator 2 paused the endpoint payments at TIME: Its last day.'],
  ['without', reader, 'the endpoint payments was paused at TIME.'],
])('a sentence %s names says what is known of lost attempts', async (_, rights, because) => {
  const { store, file } = await sqliteFile()
  const { receiver, send } = await openInbox(async () => store)
  await receiver.pause({}, { ...pausing, reason: 'Its last day' })
  await send('transfer.settled', {}, 'evt_waits')
  // As a process leaves it that dies while it runs the event.
  const database = new Libsql(file)
  database.exec('UPDATE webhook_inbox_events SET attempt = 1')
  database.close()
  const url = await listen(consoleHandler(receiver, options(rights)))
  const { explanation } = await json<EventDetail>(`${url}/api/events/evt_waits`)
  const sentence = explanation?.sentence.replace(explanation.times?.[0] ?? 'no time', 'TIME')
  const lost = 'Its last attempt left nothing: the process ended or lost its claim.'
  expect(sentence).toBe(`Event evt_waits waits because ${because} ${lost}`)
})

it('an event that is discarded while it is read is described without names', () => {
  const found = { reason: 'discarded', discardedAt: pausedAt, actor: 'ada' } as const
  const sentence = `Event evt_1 was discarded by ada at ${pausedAt}: a test; its window for undo has ended.`
  expect(unnamedSentence('evt_1', { ...found, sentence })).toBe(`Event evt_1 was discarded at ${pausedAt}.`)
})
