import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { StoreError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { redisStore } from '../../src/stores/redis.js'

/**
 * A receiver in its own process, for a test that kills it. It writes every run of an event to a file first. It kills itself
 * when it reaches the named step, because no other process could hit the step exactly.
 */

const [port, secret, file, fatal] = process.argv.slice(2) as [string, string, string, string?]

function reach(step: string): void {
  if (step === fatal) {
    process.kill(process.pid, 'SIGKILL')
  }
}

let runs = 0
const unacknowledged = new Set<string>()
let acknowledgements = 0

const receiver = createReceiver({
  secret,
  store: redisStore({ client: new Redis(Number(port)) }),
  leaseSeconds: 1,
  handlerTimeoutSeconds: 0.4,
  logger: false,
  async fallback({ id }) {
    const run = ++runs
    appendFileSync(file, `${id}\n`)
    unacknowledged.add(id)
    await sleep(Math.random() * 20)
    reach(`in run ${run}`)
  },
})

process.on('message', async ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  const id = headers['service-event-id'] as string
  const { status, outcome } = await receiver.receive({ headers, body: new TextEncoder().encode(body) })
  // A delivery after a slow one is acknowledged as a duplicate.
  const acknowledgement = status === 200 && unacknowledged.delete(id) ? ++acknowledgements : 0
  process.send?.({ id, status, outcome }, () => reach(`after acknowledgement ${acknowledgement}`))
})

/** On a busy machine the check of the store can take longer than the limit. */
async function start(): Promise<void> {
  try {
    await receiver.start()
  } catch (error) {
    if (!(error instanceof StoreError)) {
      throw error
    }
    await start()
  }
}
await start()
process.send?.({ isReady: true })
