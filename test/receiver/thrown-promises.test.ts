import { it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, lines, secret } from './deliver.js'
import { unhandledRejections } from './unhandled.js'

const unhandled = unhandledRejections()

/** As in `throw failure()`, where `failure` is an async function that fails itself. */
function throwing(): never {
  throw Promise.reject(new Error('the currency is unknown'))
}

it.each([
  ['an async handler', { fallback: async () => throwing() }],
  ['secret()', { secret: throwing }],
  ['telemetry', { telemetry: { delivered: throwing, traceIds: throwing } }],
])('a promise that %s throws does not end the process when it rejects', async (_, options) => {
  process.on('unhandledRejection', unhandled)
  const given = { secret, now: clock, logger: lines(), fallback() {}, store: memoryStore(), ...options }
  await createReceiver(given as never).receive(await delivery())
})
