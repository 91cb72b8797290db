import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventRef } from '../../src/store/event-ref.js'
import { bundle, type Program } from '../setup/bundle.js'
import { effect, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

let program: Program
beforeAll(async () => {
  program = await bundle(join(import.meta.dirname, 'postgres-process.ts'))
})
afterAll(() => program.remove())

/** Runs the event in a process that dies at the step. Resolves to the output of the process. */
async function runAndDie(event: EventRef, step: string) {
  const json = JSON.stringify({ ...event, body: Buffer.from(event.body).toString('hex') })
  const child = spawn(process.execPath, [program.path, rig.url, step, json], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const [, signal] = await once(child, 'close')
  return { signal, said }
}

const steps = [
  'before the claim',
  'with the claim on its way',
  'in the handler',
  'after its write',
  'before the commit',
  'after the commit',
]

for (const isAccepted of [false, true]) {
  const which = isAccepted ? 'an accepted event' : 'an unseen event'
  test.each(steps)(`${which} whose process is killed %s has one effect in the end`, async (step) => {
    const store = rig.store()
    const event = newEvent()
    if (isAccepted) {
      await store.inbox.accept(event, async () => {})
    }
    expect(await runAndDie(event, step)).toEqual({ signal: 'SIGKILL', said: '' })

    const isCommitted = step === 'after the commit'
    await expect.poll(() => rig.effects(event)).toBe(isCommitted ? 1 : 0)
    if (isAccepted && !isCommitted) {
      const due = async () => (await store.inbox.due(1000)).some(({ key }) => key === event.key)
      await expect.poll(due, { timeout: 10_000 }).toBe(true)
    }
    const again = await store.once(event, ({ tx }) => effect(tx, event))
    expect(again.state).toBe(isCommitted ? 'duplicate' : 'done')
    expect(await rig.effects(event)).toBe(1)
    expect((await store.inbox.read(event.key))?.state).toBe('done')
  })
}

test('a process that is not killed runs the event', async () => {
  const event = newEvent()
  expect(await runAndDie(event, 'never')).toEqual({ signal: null, said: 'done' })
  expect(await rig.effects(event)).toBe(1)
})
