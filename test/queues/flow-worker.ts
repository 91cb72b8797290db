import { appendFileSync } from 'node:fs'
import { createReceiver } from '../../src/receiver.js'
import { testSecret } from '../../src/testing/delivery.js'
import { openOrdered, type Place } from './order-place.js'

/** Runs the events of a place until it is killed, and writes the type of each into a journal. */
const [place, journal] = process.argv.slice(2) as [string, string]
const { store, queue } = await openOrdered(JSON.parse(place) as Place)
await createReceiver({
  secret: testSecret,
  store,
  queue,
  logger: false,
  fallback({ type }) {
    appendFileSync(journal, `${type}\n`)
  },
}).start()
process.send?.('running')
