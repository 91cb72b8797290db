import { createHash, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { redisLeases, redisStore } from 'webhook-inbox/stores/redis'
import type { EventRef } from '../../src/store/event-ref.js'
import * as scripts from '../../src/stores/redis/scripts.js'
import { startRedis } from '../../test/servers/redis.js'
import { bodyOf } from './harness/bodies.js'
import { compare } from './harness/compare.js'
import { atOnce } from './harness/lanes.js'
import { timingsWithCpu, title } from './harness/table.js'

/**
 * Compares the Redis store with the two commands that it needs. Those are its scripts, called directly with the same
 * arguments, over the same client without auto-pipelining.
 *
 *     npm run bench -- redis
 */
const server = await startRedis({ appendonly: 'yes' })
const client = new Redis(server.port, '127.0.0.1', { socketTimeout: 10_000 })
const store = redisStore({ client })
const leases = redisLeases({ client })
const durations = { leaseSeconds: 60, retentionSeconds: 90 * 86_400, workSeconds: 10, waitSeconds: 2 }
const body = bodyOf(1000)
const contentHash = createHash('sha256').update(body).digest('hex')

const [claim, complete] = (await Promise.all(
  [scripts.claim, scripts.complete].map((lua) => client.script('LOAD', lua)),
)) as [string, string]

let count = 0
const run = randomUUID()
/** Returns a new key, as long as a real one. */
const newKey = () => `${run}${++count}`.padStart(64, '0')

const newEvent = (): EventRef => ({
  key: newKey(),
  contentHash,
  durations,
  endpoint: 'default',
  id: 'evt_1',
  type: 'transfer.settled',
  createdAt: '2026-01-02T03:04:05Z',
  body,
})

const nothing = async () => {}

async function byHand(): Promise<void> {
  const name = `webhook-inbox:${newKey()}`
  const id = randomUUID()
  await client.evalsha(claim, 1, name, id, '60000', '2592060000')
  await client.evalsha(complete, 1, name, id, contentHash, '7776000000')
}

async function verbs(): Promise<void> {
  const { key } = newEvent()
  const claimed = await leases.claim(key, 60)
  if (claimed.state !== 'claimed') {
    throw new Error(claimed.state)
  }
  if (!(await leases.complete(key, claimed.token, contentHash, durations.retentionSeconds))) {
    throw new Error('lost')
  }
}

async function once(): Promise<void> {
  const { state } = await store.once(newEvent(), nothing)
  if (state !== 'done') {
    throw new Error(state)
  }
}

title('Redis: an event claimed and completed, beside two bare EVALSHA (ioredis, appendonly yes)')
try {
  for (const concurrency of [1, 50, 500]) {
    const measured = await compare(
      [
        atOnce(concurrency, 'two EVALSHA by hand', byHand),
        atOnce(concurrency, 'redisLeases: claim, complete', verbs),
        atOnce(concurrency, 'redisStore().once, work that does nothing', once),
      ],
      { turnMilliseconds: 40 },
    )
    timingsWithCpu(`concurrency ${concurrency}`, measured)
  }
} finally {
  client.disconnect()
  await server.close()
}
