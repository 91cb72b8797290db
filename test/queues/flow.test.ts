import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { migratePostgres } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { bundle, type Program } from '../setup/bundle.js'
import { openOrdered, type Place } from './order-place.js'

let postgres: PostgresServer
let other: PostgresServer
let redis: RedisServer
let worker: Program
const directory = mkdtempSync(join(tmpdir(), 'webhook-inbox-flow-'))
let files = 0
beforeAll(async () => {
  ;[postgres, other, redis, worker] = await Promise.all([
    startPostgres(),
    startPostgres(),
    startRedis({ appendonly: 'yes' }),
    bundle(join(import.meta.dirname, 'flow-worker.ts')),
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

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) {
    await close()
  }
})

const newFile = (name: string) => join(directory, `${name}-${++files}`)
const places: Readonly<Record<Place['engine'], () => Place>> = {
  local: () => ({ engine: 'local', events: newFile('inbox.sqlite') }),
  'pg-boss': () => ({ engine: 'pg-boss', events: postgres.url }),
  bullmq: () => ({ engine: 'bullmq', events: other.url, redisPort: redis.port }),
}

const audit = { reason: 'the ledger is down', actor: 'suite' }
const patiently = { timeout: 40_000, interval: 20 }
type Options = Partial<Parameters<typeof createReceiver>[0]>

/** A receiver at a place, started, with what it ran. */
async function program(place: Place, endpoint: string, options: Options = {}, consume = true) {
  const { store, queue, close } = await openOrdered(place)
  const ran: string[] = []
  const receiver: Receiver = createReceiver({
    secret: testSecret,
    store,
    queue,
    endpoint,
    logger: false,
    fallback: ({ type }: WebhookEvent) => void ran.push(type),
    ...options,
  } as never)
  await receiver.start({ consume })
  closing.push(async () => {
    await receiver.stop()
    await close()
  })
  const sender = testSender({ receiver })
  const send = async (type: string) => (await sender.send(type as 'transfer.settled')).eventId as string
  return { receiver, ran, send, inbox: store.inbox }
}

const endpointOf = (name: string) => `${name}-${crypto.randomUUID()}`

describe.each(['local', 'pg-boss', 'bullmq'] as const)('with %s', (engine) => {
  test('a paused type waits without an attempt, in every process, and runs at once when it is resumed', async () => {
    const place = places[engine]()
    const endpoint = endpointOf('pause')
    const here = await program(place, endpoint)
    expect(await here.receiver.pause({ type: 'transfer.settled' }, audit)).toBe(true)
    const later = await program(place, endpoint)
    const held = [await here.send('transfer.settled'), await later.send('transfer.settled')]
    const free = await here.send('transfer.failed')
    await expect.poll(async () => (await here.receiver.inspect(free))?.state, patiently).toBe('done')
    // Long enough for several searches and sweeps of both.
    await new Promise((resolve) => setTimeout(resolve, 3500))
    expect([...here.ran, ...later.ran]).toEqual(['transfer.failed'])
    for (const id of held) {
      expect(await here.receiver.inspect(id)).toMatchObject({ state: 'accepted', attempt: 0, failures: 0 })
    }
    expect(await later.receiver.paused()).toMatchObject([{ endpoint, type: 'transfer.settled', ...audit }])

    const resumedAt = performance.now()
    expect(await here.receiver.resume({ type: 'transfer.settled' }, audit)).toBe(true)
    for (const id of held) {
      await expect.poll(async () => (await here.receiver.inspect(id))?.state, patiently).toBe('done')
    }
    expect(performance.now() - resumedAt).toBeLessThan(5000)
    expect(await here.receiver.resume({ type: 'transfer.settled' }, audit)).toBe(false)
  })

  test('an endpoint and a resource are paused too, and a run that has begun continues', async () => {
    const place = places[engine]()
    let end = () => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    const { receiver, send } = await program(place, endpointOf('endpoint'), {
      resource: ({ id }: WebhookEvent) => id,
      fallback: () => held,
    })
    const running = await send('transfer.settled')
    await expect.poll(async () => (await receiver.explain(running)).reason, patiently).toBe('running')
    await receiver.pause({}, audit)
    const waiting = await send('transfer.settled')
    end()
    await expect.poll(async () => (await receiver.inspect(running))?.state, patiently).toBe('done')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect((await receiver.inspect(waiting))?.state).toBe('accepted')
    await receiver.pause({ resource: waiting }, audit)
    await receiver.resume({}, audit)
    const next = await send('transfer.settled')
    await expect.poll(async () => (await receiver.inspect(next))?.state, patiently).toBe('done')
    expect((await receiver.inspect(waiting))?.state).toBe('accepted')
    await receiver.resume({ resource: waiting }, audit)
    await expect.poll(async () => (await receiver.inspect(waiting))?.state, patiently).toBe('done')
  })

  test('a pause outlives kill -9, and holds in a process that starts later', async () => {
    const place = places[engine]()
    const journal = newFile('journal')
    writeFileSync(journal, '')
    const { receiver, send } = await program(place, 'default', {}, false)
    const children: ChildProcess[] = []
    async function start(): Promise<ChildProcess> {
      const child = fork(worker.path, [JSON.stringify(place), journal])
      children.push(child)
      const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
      expect(message).toBe('running')
      return child
    }
    closing.push(async () => {
      for (const child of children) {
        child.kill('SIGKILL')
      }
    })
    const ran = () => readFileSync(journal, 'utf8').trim().split('\n').filter(Boolean)

    const first = await start()
    await receiver.pause({ type: 'transfer.settled' }, audit)
    // Other processes obey within a second.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await send('transfer.settled')
    await send('transfer.failed')
    await expect.poll(ran, patiently).toEqual(['transfer.failed'])
    const gone = once(first, 'exit')
    first.kill('SIGKILL')
    await gone
    await start()
    await send('transfer.settled')
    await send('transfer.matched')
    await expect.poll(ran, patiently).toEqual(['transfer.failed', 'transfer.matched'])
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(ran()).toHaveLength(2)
    await receiver.resume({ type: 'transfer.settled' }, audit)
    await expect.poll(() => ran().length, patiently).toBe(4)
  })

  test('a circuit opens, tries once, and closes when a trial succeeds', async () => {
    const place = places[engine]()
    let isBroken = true
    let tries = 0
    const { receiver, send } = await program(place, endpointOf('circuit'), {
      breaker: { failures: 3, retryAfterSeconds: 3 },
      fallback: ({ type, id }: WebhookEvent) => {
        if (type === 'transfer.settled') {
          tries++
          if (isBroken) {
            throw new Error(`ledger refused ${id}`)
          }
        }
      },
    })
    const first = await send('transfer.settled')
    const reason = async (id: string) => (await receiver.explain(id)).reason
    await expect.poll(() => reason(first), patiently).toBe('circuit_open')
    const before = tries
    const waiting = await send('transfer.settled')
    const free = await send('transfer.failed')
    await expect.poll(async () => (await receiver.inspect(free))?.state, patiently).toBe('done')
    expect(await reason(waiting)).toBe('circuit_open')
    expect((await receiver.inspect(waiting))?.attempt).toBe(0)
    await expect.poll(() => tries, patiently).toBeGreaterThan(before)
    isBroken = false
    for (const id of [first, waiting]) {
      await expect.poll(async () => (await receiver.inspect(id))?.state, patiently).toBe('done')
    }
  })

  test('a limit of a type and of a resource holds, costs no attempt, and loses nothing', async () => {
    const place = places[engine]()
    let running = 0
    let most = 0
    const starts: number[] = []
    const { receiver, send } = await program(place, endpointOf('limit'), {
      limits: { byType: { 'transfer.settled': { concurrency: 2 }, 'transfer.failed': { perSecond: 2 } } },
      fallback: async ({ type }: WebhookEvent) => {
        if (type === 'transfer.failed') {
          starts.push(performance.now())
          return
        }
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 60))
        running--
      },
    })
    const ids: string[] = []
    for (let i = 0; i < 8; i++) {
      ids.push(await send('transfer.settled'), await send('transfer.failed'))
    }
    for (const id of ids) {
      await expect.poll(async () => (await receiver.inspect(id))?.state, patiently).toBe('done')
      expect(await receiver.inspect(id)).toMatchObject({ failures: 0 })
    }
    expect(most).toBe(2)
    // Two may start together, and each of the other six earns its start in half a second.
    expect((starts.at(-1) as number) - (starts[0] as number)).toBeGreaterThan(2700)
  })

  test('a type of a higher priority runs first', async () => {
    const place = places[engine]()
    const endpoint = endpointOf('priority')
    const priorities = { 'transfer.failed': 10, 'transfer.matched': -10 }
    const { receiver, send } = await program(place, endpoint, { priorities }, false)
    const order = ['transfer.matched', 'transfer.settled', 'transfer.failed']
    for (let i = 0; i < 30; i++) {
      await send(order[i % 3] as string)
    }
    await receiver.stop()
    const { ran } = await program(place, endpoint, {
      priorities,
      limits: { perResource: { concurrency: 1 } },
    })
    await expect.poll(() => ran.length, patiently).toBe(30)
    const middle = (type: string) =>
      ran.flatMap((each, i) => (each === type ? [i] : [])).reduce((sum, i) => sum + i, 0) / 10
    expect(middle('transfer.failed')).toBeLessThan(middle('transfer.settled'))
    expect(middle('transfer.settled')).toBeLessThan(middle('transfer.matched'))
  })
})
