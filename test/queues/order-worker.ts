import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver } from '../../src/receiver.js'
import { testSecret } from '../../src/testing/delivery.js'
import { openOrdered, type Place, resourceOf } from './order-place.js'

/** Runs events, fails for some of them, and records the begin and end of each. */
const [place, journal] = process.argv.slice(2) as [string, string]
const write = (what: string, id: string) => appendFileSync(journal, `${what} ${process.pid} ${id}\n`)

const { store, queue } = await openOrdered(JSON.parse(place) as Place)
await createReceiver({
  secret: testSecret,
  store,
  queue,
  resource: resourceOf,
  leaseSeconds: 2,
  logger: false,
  async fallback({ id }) {
    write('begin', id)
    await sleep(50 * Math.random())
    if (Math.random() < 0.2) {
      write('fail', id)
      throw new Error('once more')
    }
    write('end', id)
  },
}).start()
process.once('disconnect', () => process.exit())
process.send?.('running')
