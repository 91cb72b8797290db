/** A program whose subscribers throw on every channel. It goes on only because it handles uncaught exceptions. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, subscribe } from 'node:diagnostics_channel'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { diagnosticsChannel } from '../../src/telemetries/diagnostics-channel.js'
import { clock, delivery, secret, settled } from '../receiver/deliver.js'

process.on('uncaughtException', ({ message }) => console.log(`uncaught: ${message}`))
const fail = () => {
  throw new Error('the subscriber is broken')
}
for (const name of ['delivery', 'stored', 'run.start', 'run.end']) {
  subscribe(`webhook-inbox:${name}`, fail)
}
channel('webhook-inbox:run.start').bindStore(new AsyncLocalStorage(), fail)

const receiver = createReceiver({
  secret,
  now: clock,
  logger: false,
  store: memoryStore(),
  fallback: () => {},
  telemetry: diagnosticsChannel(),
})
const first = await receiver.receive(await delivery())
const second = await receiver.receive(await delivery({ ...settled, id: 'evt_2' }))
console.log(`first ${first.outcome}, second ${second.outcome}`)
// The test ends it, when it has read everything.
setInterval(() => {}, 60_000)
