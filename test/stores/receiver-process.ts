import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createReceiver } from '../../src/receiver.js'
import { redisStore } from '../../src/stores/redis.js'

/** A receiver in its own process, for a test that kills it. It writes every run of an event to a file first. */

const [port, secret, file] = process.argv.slice(2) as [string, string, string]

const receiver = createReceiver({
  secret,
  store: redisStore({ client: new Redis(Number(port)) }),
  leaseSeconds: 1,
  handlerTimeoutSeconds: 0.4,
  logger: false,
  async fallback({ id }) {
    appendFileSync(file, `${id}\n`)
    await sleep(Math.random() * 20)
  },
})

process.on('message', async ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  const { status, outcome } = await receiver.receive({ headers, body: new TextEncoder().encode(body) })
  process.send?.({ id: headers['service-event-id'], status, outcome })
})
await receiver.start()
process.send?.({ isReady: true })
