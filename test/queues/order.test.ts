import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { migratePostgres } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { bundle, type Program } from '../setup/bundle.js'
import { findDisorder } from './find-disorder.js'
import { openOrdered, type Place, resourceOf } from './order-place.js'

const resources = ['one', 'two', 'three', 'four', 'five']
const events = Number(process.env.ORDER_EVENTS ?? (process.env.LONG ? 300 : 40))
const kills = Number(process.env.ORDER_KILLS ?? (process.env.LONG ? 10 : 2))
/** A generous time limit, in ms. */
const patience = 120_000 + 1000 * events

let postgres: PostgresServer
let other: PostgresServer
let redis: RedisServer
let worker: Program
const directory = mkdtempSync(join(tmpdir(), 'webhook-inbox-order-'))
beforeAll(async () => {
  ;[postgres, other, redis, worker] = await Promise.all([
    startPostgres(),
    startPostgres(),
    startRedis({ appendonly: 'yes' }),
    bundle(join(import.meta.dirname, 'order-worker.ts')),
  ])
  for (const { url } of [postgres, other]) {
    const pool = new pg.Pool({ connectionString: url })
    await migratePostgres(pool)
    await pool.end()
  }
})
afterAll(async () => {
  await Promise.all([postgres, other, redis].map((server) => server?.close()))
  worker?.remove()
  rmSync(directory, { recursive: true, force: true })
})

const places: Readonly<Record<Place['engine'], () => Place>> = {
  local: () => ({ engine: 'local', events: join(directory, 'inbox.sqlite') }),
  'pg-boss': () => ({ engine: 'pg-boss', events: postgres.url }),
  bullmq: () => ({ engine: 'bullmq', events: other.url, redisPort: redis.port }),
}

/** Starts three workers. `killOne` kills one of them and starts another. */
async function startWorkers(place: Place, journal: string) {
  const children: ChildProcess[] = []
  async function startOne(): Promise<void> {
    const child = fork(worker.path, [JSON.stringify(place), journal])
    children.push(child)
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (message !== 'running') {
      throw new Error(`a worker ended early: ${message}`)
    }
  }
  async function kill(child: ChildProcess): Promise<void> {
    const gone = once(child, 'exit')
    appendFileSync(journal, `kill ${child.pid} -\n`)
    child.kill('SIGKILL')
    await gone
  }
  await Promise.all([startOne(), startOne(), startOne()])
  return {
    async killOne() {
      await kill(children.splice(Math.floor(Math.random() * children.length), 1)[0] as ChildProcess)
      await startOne()
    },
    killAll: () => Promise.all(children.splice(0).map(kill)),
  }
}

describe.concurrent('with failing handlers and killed workers', () => {
  test.each(['local', 'pg-boss', 'bullmq'] as const)(
    'events of one resource succeed in the order they were accepted and never overlap, on %s',
    { timeout: 2 * patience },
    async (engine) => {
      const place = places[engine]()
      const journal = join(directory, `${engine}.journal`)
      writeFileSync(journal, '')
      const { store, queue, close } = await openOrdered(place)
      const receiver = createReceiver({
        secret: testSecret,
        store,
        queue,
        resource: resourceOf,
        logger: false,
        fallback: () => {},
      })
      await receiver.start({ consume: false })
      const sender = testSender({ receiver })
      const workers = await startWorkers(place, journal)
      const acceptedOf = new Map(resources.map((resource) => [resource, [] as string[]]))
      try {
        async function accept(): Promise<void> {
          for (let i = 0; i < events; i++) {
            const resource = resources[Math.floor(Math.random() * resources.length)] as string
            const answer = await sender.send('transfer.settled', { transferId: `${resource}/${i}` })
            expect(answer.outcome).toBe('accepted')
            acceptedOf.get(resource)?.push(answer.eventId as string)
            if (Math.random() < 0.5) {
              await sleep(100 * Math.random())
            }
          }
        }
        async function disturb(): Promise<void> {
          for (let i = 0; i < kills; i++) {
            await sleep(1000 + 2000 * Math.random())
            await workers.killOne()
          }
        }
        await Promise.all([accept(), disturb()])
        await vi.waitFor(
          async () => {
            const { counts } = await receiver.health()
            expect(counts).toMatchObject({ accepted: 0, failed: 0, done: events, dead: 0 })
          },
          { timeout: patience, interval: 250 },
        )
      } finally {
        await workers.killAll()
        await receiver.stop()
        await close()
      }
      const text = readFileSync(journal, 'utf8')
      expect(text).toMatch(/^fail /m)
      for (const [resource, accepted] of acceptedOf) {
        expect(findDisorder(text, accepted), resource).toEqual([])
      }
    },
  )
})
