import { Redis } from 'ioredis'
import { redisStore } from 'webhook-inbox/stores/redis'
import type { Store } from '../../../src/store/store.js'
import { startRedis } from '../../../test/servers/redis.js'
import { type Contender, compare } from '../harness/compare.js'
import { atOnce } from '../harness/lanes.js'
import { table, timingsWithCpu, title, waits } from '../harness/table.js'
import { beside } from '../harness/traffic.js'
import { contentHash, newEvent, nothing, size } from './events.js'

const day = 86_400_000
const rounds = { turnMilliseconds: 50, rounds: 31 }

export async function growthOfRedis(steps: readonly number[]): Promise<void> {
  title('Growth: Redis (ioredis, appendonly yes), a server for each size')
  const servers = await Promise.all(steps.map(newServer))
  try {
    table(
      ['events done', 'memory of one'],
      servers.map(({ name, bytesEach }) => [name, `${bytesEach.toFixed(0)} B`]),
    )
    timingsWithCpu('a new event, 50 at once, beside', await compare(servers.map(unseen), rounds))
    const known = servers.map(({ name, store, count }) =>
      atOnce(50, name, async () => {
        const { state } = await store.once(newEvent(key(Math.floor(Math.random() * count))), nothing)
        if (state !== 'duplicate') {
          throw new Error(state)
        }
      }),
    )
    timingsWithCpu('a known event, 50 at once, beside', await compare(known, rounds))

    // Redis expires keys by itself: here ten times as many as arrive. Each is written one second earlier.
    const { store, client } = servers.at(-1) as Server
    let batches = 0
    async function passing(isOver: () => boolean): Promise<void> {
      while (!isOver()) {
        await fill(client, `passing ${++batches}`, 50, 0, 1000)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    waits('500 new events a second', [
      ['alone', 'beside 5000 a second that pass'],
      await beside({ perSecond: 500, seconds: 2, turns: 7 }, () => deliver(store), passing),
    ])
  } finally {
    for (const { client, server } of servers) {
      client.disconnect()
      await server.close()
    }
  }
}

function unseen({ name, store, client }: Server): Contender {
  const made: string[] = []
  return {
    ...atOnce(50, name, async () => made.push(await deliver(store))),
    rest: () => client.unlink(made.splice(0)),
  }
}

/** Returns the name of the event's key in Redis. */
async function deliver(store: Store): Promise<string> {
  const event = newEvent()
  const { state } = await store.once(event, nothing)
  if (state !== 'done') {
    throw new Error(state)
  }
  return `webhook-inbox:${event.key}`
}

type Server = Awaited<ReturnType<typeof newServer>>

async function newServer(count: number) {
  const server = await startRedis({ appendonly: 'yes', 'auto-aof-rewrite-percentage': '0' })
  const client = new Redis(server.port, '127.0.0.1', { socketTimeout: 60_000 })
  const before = await memory(client)
  const step = 10_000
  for (let from = 0; from < count; from += step) {
    await fill(client, 'webhook-inbox', Math.min(step, count - from), from, 90 * day)
  }
  const bytesEach = ((await memory(client)) - before) / count
  return { name: size(count), count, server, client, store: redisStore({ client }), bytesEach }
}

async function memory(client: Redis): Promise<number> {
  const [, bytes] = /used_memory:(\d+)/.exec(await client.info('memory')) ?? []
  return Number(bytes)
}

const key = (n: number) => `${n}`.padStart(64, '0')

/** Writes done events in the form that the store writes. */
const fill = (client: Redis, prefix: string, count: number, from: number, milliseconds: number) =>
  client.eval(
    `for n = ARGV[1], ARGV[1] + ARGV[2] - 1 do
       local key = ARGV[3] .. ':' .. string.format('%064d', n)
       redis.call('HSET', key, 'a', 1, 't', '123e4567-e89b-42d3-a456-426614174000', 'h', ARGV[4])
       redis.call('PEXPIRE', key, ARGV[5])
     end`,
    0,
    String(from),
    String(count),
    prefix,
    contentHash,
    String(milliseconds),
  )
