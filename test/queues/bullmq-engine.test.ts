import { join } from 'node:path'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { JobNotDone } from '../../src/errors.js'
import { createReceiver } from '../../src/index.js'
import type { Job } from '../../src/queue/queue.js'
import { type BullMqQueueOptions, bullmqQueue } from '../../src/queues/bullmq.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually, pause } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { start } from '../examples/program.js'
import { command, type RedisServer, startRedis } from '../servers/redis.js'
import { bundle } from '../setup/bundle.js'
import { newEvent } from '../stores/postgres-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { failingWorker } from './failing-worker.js'
import { startVictim } from './victim.js'

let redis: RedisServer
const errors: unknown[] = []
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  redis = await startRedis({ appendonly: 'yes', appendfsync: 'always' })
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) {
    await close()
  }
  errors.length = 0
})
afterAll(async () => {
  removeFiles()
  await redis?.close()
})

const connection = () => ({ host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null })

function program(options: Partial<BullMqQueueOptions> = {}, handler: () => unknown = () => {}) {
  const endpoint = `of ${crypto.randomUUID()}`
  const store = sqliteStore(newFile())
  const onError = (error: unknown) => void errors.push(error)
  const queue = bullmqQueue({
    Queue,
    Worker,
    connection: connection(),
    takeOverSeconds: 1,
    onError,
    ...options,
  })
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue,
    endpoint,
    fallback: handler,
    leaseSeconds: 2,
    logger: false,
  })
  closing.push(async () => {
    await receiver.stop()
    await store.close()
  })
  const engine = new Queue(`webhook-inbox.${endpoint.replace(' ', '.20')}`, { connection: connection() })
  engine.on('error', () => {})
  closing.push(() => engine.close())
  return { endpoint, store, queue, receiver, engine, sender: testSender({ receiver }) }
}

const allDone = (receiver: ReturnType<typeof createReceiver>) =>
  eventually(async () => {
    const events = await receiver.list()
    return events.every(({ state }) => state === 'done') ? events : undefined
  })

it('overrides the defaults of BullMQ for a job, and keeps no finished job', async () => {
  const { sender, receiver, engine } = program()
  await receiver.start({ consume: false })
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
  const job = await eventually(async () => (await engine.getJobs())[0])
  expect(job?.opts).toMatchObject({ attempts: 2 ** 31 - 1, removeOnComplete: true })
  expect(job?.opts.removeOnFail).toMatchObject({ age: 7 * 86_400 })
  expect(job?.id).toMatch(/^[^:]*[a-z][^:]*$/)
  await receiver.start()
  await allDone(receiver)
  await eventually(async () => ((await engine.getJobs()).length === 0 ? true : undefined))
})

it('drops a job whose event is not in the inbox', async () => {
  const { endpoint, queue, receiver, engine } = program()
  await receiver.start({ consume: false })
  queue.committed?.(jobOf(newEvent({}, { endpoint })))
  await eventually(async () => ((await engine.getJobs()).length === 1 ? true : undefined))
  await receiver.start()
  await eventually(async () => ((await engine.getJobs()).length === 0 ? true : undefined))
  expect(await receiver.list()).toEqual([])
})

it('counts no attempt when the handler was not tried, and marks the event dead with the last error', async () => {
  const { endpoint, store, queue } = program({ retry: { attempts: 2, firstPauseSeconds: 0.1 } })
  const event = newEvent({}, { endpoint })
  const failures = [
    new JobNotDone('another holds it', false),
    new JobNotDone('another holds it', false),
    new JobNotDone('first'),
    new JobNotDone('last'),
  ]
  await store.inbox.accept(event, async () => {})
  queue.committed?.(jobOf(event))
  const { worker, thrown, buried } = failingWorker(endpoint, store.inbox, failures)
  const stop = await queue.consume(worker, store.inbox as never)
  await eventually(async () => buried[0], 30)
  await stop()
  expect(thrown).toHaveLength(4)
  expect(buried).toEqual([failures[3]])
})

it('runs a job once although its handler outlasts the stalled interval', async () => {
  const { endpoint, store, queue } = program({ sweepSeconds: 3600 })
  const event = newEvent({}, { endpoint })
  await store.inbox.accept(event, async () => {})
  let runs = 0
  let isOver = false
  const worker = {
    endpoint,
    async run() {
      runs++
      await pause(3.5)
      isOver = true
    },
    markDead: async () => {},
  }
  const stop = await queue.consume(worker, store.inbox as never)
  queue.committed?.(jobOf(event))
  await eventually(async () => (isOver ? true : undefined))
  await stop()
  expect(runs).toBe(1)
  expect(errors).toEqual([])
})

it('waits seconds between attempts and stops after the last one, without a sweep', async () => {
  const retry = { attempts: 3, firstPauseSeconds: 1 }
  const { endpoint, store, queue, engine } = program({ sweepSeconds: 3600, retry })
  const event = newEvent({}, { endpoint })
  await store.inbox.accept(event, async () => {})
  const times: number[] = []
  const dead: Job[] = []
  const worker = {
    endpoint,
    async run() {
      times.push(performance.now() / 1000)
      throw new JobNotDone('failed')
    },
    async markDead(job: Job) {
      dead.push(job)
      await store.inbox.markDead(job.key, 'the end')
    },
  }
  const stop = await queue.consume(worker, store.inbox as never)
  queue.committed?.(jobOf(event))
  await eventually(async () => (dead.length > 0 ? true : undefined))
  await eventually(async () => ((await engine.getFailed()).length === 1 ? true : undefined))
  await pause(1)
  await stop()
  expect(times).toHaveLength(3)
  expect((times[1] as number) - (times[0] as number)).toBeGreaterThan(0.45)
  expect((times[2] as number) - (times[1] as number)).toBeGreaterThan(0.9)
})

it('adds no second job for an event that waits for a free slot', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const { sender, receiver, engine } = program({ concurrency: 1, sweepSeconds: 0.2 }, () => opened)
  await receiver.start()
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  await eventually(async () => ((await engine.getWaiting()).length >= 4 ? true : undefined))
  await pause(1.5)
  // Each of the two waiting events has its first job and one of the sweep.
  expect((await engine.getWaiting()).length).toBe(4)
  open()
  await allDone(receiver)
})

it('has added every job when stop resolves', async () => {
  const { sender, receiver, engine } = program()
  await receiver.start({ consume: false })
  const sending = Array.from({ length: 20 }, () => sender.send('transfer.settled'))
  await Promise.all(sending)
  await receiver.stop()
  expect(await engine.getWaiting()).toHaveLength(20)
})

it('has added the job of a delivery when close resolves', async () => {
  const { endpoint, queue, receiver, engine } = program()
  await receiver.start({ consume: false })
  await queue.close?.()
  expect(await engine.getWaiting()).toHaveLength(0)
  queue.committed?.(jobOf(newEvent({}, { endpoint })))
  await queue.close?.()
  expect(await engine.getWaiting()).toHaveLength(1)
})

it('reports the first failure of each outage', async () => {
  const { endpoint, queue, engine } = program()
  await engine.waitUntilReady()
  const add = () => queue.committed?.(jobOf(newEvent({}, { endpoint })))
  for (let outage = 1; outage <= 2; outage++) {
    await command(redis.port, 'CONFIG SET maxmemory 1')
    try {
      add()
      await eventually(async () => (errors.length === outage ? true : undefined))
      add()
    } finally {
      await command(redis.port, 'CONFIG SET maxmemory 0')
    }
    // What waits in memory may be rejected or taken. The next job is taken.
    await queue.close?.()
    const before = (await engine.getWaiting()).length
    add()
    await eventually(async () => ((await engine.getWaiting()).length > before ? true : undefined))
  }
  expect(errors.map(String)).toEqual(Array(2).fill(expect.stringContaining('OOM')))
  await queue.close?.()
})

it('takes over an event whose process died three times, without the sweep', async () => {
  const program = await bundle(join(import.meta.dirname, 'bullmq-victim.ts'))
  closing.push(async () => program.remove())
  const path = newFile()
  const space = `of ${crypto.randomUUID()}`
  const settings = { space, concurrency: 1, retry: { attempts: 20, firstPauseSeconds: 1 } } as never
  const ran: string[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: sqliteStore(path),
    queue: bullmqQueue({
      Queue,
      Worker,
      connection: connection(),
      takeOverSeconds: 1,
      sweepSeconds: 3600,
      onError: (error) => void errors.push(error),
    }),
    endpoint: space,
    leaseSeconds: 2,
    fallback: ({ id }) => ran.push(id),
    logger: false,
  })
  closing.push(() => receiver.stop())
  await receiver.start({ consume: false })
  const { eventId } = await testSender({ receiver }).send('transfer.settled')
  for (let death = 1; death <= 3; death++) {
    const victim = await startVictim(program.path, `${redis.port} ${path} 3600`, settings)
    await victim.kill()
  }
  await receiver.start()
  await eventually(async () => (ran.length > 0 ? true : undefined), 30)
  expect(ran).toEqual([eventId])
})

it('reports that a consumer has lost its Redis, and runs jobs when it is back', async () => {
  const { endpoint, store, queue } = program({ sweepSeconds: 3600 })
  const event = newEvent({}, { endpoint })
  const ran: string[] = []
  const worker = { endpoint, run: async ({ key }: Job) => void ran.push(key), markDead: async () => {} }
  const stop = await queue.consume(worker, store.inbox as never)
  expect(errors).toEqual([])
  await redis.kill()
  try {
    await eventually(async () => (errors.length > 0 ? true : undefined))
  } finally {
    await redis.restart()
  }
  queue.committed?.(jobOf(event))
  await eventually(async () => (ran.length > 0 ? true : undefined), 60)
  await stop()
})

it('names the cause when a consumer cannot connect, and leaves nothing open', async () => {
  const program = await bundle(join(import.meta.dirname, 'bullmq-loner.ts'))
  closing.push(async () => program.remove())
  const child = start(process.execPath, [program.path])
  await child.says(/store_unavailable: .* did not let a worker connect within 5 s \(.*ECONNREFUSED/)
  expect(await child.ended).toEqual({ code: 0, signal: null })
})

it('keeps a limited number of jobs in memory while Redis is frozen, and logs that once', async () => {
  const { endpoint, queue } = program()
  redis.pause()
  for (let i = 0; i < 10_050; i++) {
    queue.committed?.({ ...jobOf({ key: `${i}`, type: 'a', endpoint }) })
  }
  redis.resume()
  expect(errors.map(String)).toEqual([expect.stringContaining('more than 10000 jobs wait for Redis')])
  await queue.close?.()
})

it('reports a job that a frozen Redis does not take in time', async () => {
  const { endpoint, store, receiver } = program({ sweepSeconds: 0.2 })
  await receiver.start()
  redis.pause()
  try {
    await store.inbox.accept(newEvent({}, { endpoint }), async () => {})
    const late = 'the Redis of bullmqQueue did not take a job within 5 s'
    await eventually(async () => (errors.some((error) => String(error).includes(late)) ? true : undefined))
  } finally {
    redis.resume()
  }
})

it('runs events after a stop and another start', async () => {
  const { sender, receiver } = program({ sweepSeconds: 3600 })
  for (let round = 1; round <= 2; round++) {
    await receiver.start()
    await sender.send('transfer.settled')
    expect(await allDone(receiver)).toHaveLength(round)
    await receiver.stop()
  }
  expect(errors).toEqual([])
})

it('runs events whose jobs Redis has lost', async () => {
  const { sender, receiver } = program({ sweepSeconds: 0.5 })
  await receiver.start({ consume: false })
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  expect(await command(redis.port, 'FLUSHALL')).toBe('+OK')
  await receiver.start()
  expect(await allDone(receiver)).toHaveLength(3)
})

it('accepts while Redis is down, and runs the accepted events when it is back', async () => {
  const { sender, receiver } = program({ sweepSeconds: 1 })
  await receiver.start()
  await sender.send('transfer.settled')
  await allDone(receiver)
  await redis.kill()
  for (let i = 0; i < 3; i++) {
    expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
  }
  await eventually(async () => (errors.length > 0 ? true : undefined))
  await redis.restart()
  expect(await allDone(receiver)).toHaveLength(4)
})

it('does not start without Redis, and does not wait for it forever', async () => {
  const { receiver } = program({ connection: { host: '127.0.0.1', port: 1, maxRetriesPerRequest: null } })
  await expect(receiver.start()).rejects.toMatchObject({ code: 'store_unavailable' })
})

it('leaves nothing open after stop, so that the process ends', async () => {
  const program = await bundle(join(import.meta.dirname, 'bullmq-leaver.ts'))
  closing.push(async () => program.remove())
  for (const consume of ['true', 'false']) {
    const child = start(process.execPath, [program.path, String(redis.port), newFile(), consume])
    expect(await child.ended).toEqual({ code: 0, signal: null })
    expect(child.output()).toBe('accepted\n')
  }
})

it('rejects unusable options', async () => {
  const client = new Redis({ lazyConnect: true })
  const bad = (options: object, code = 'invalid_option') =>
    expect(
      () => bullmqQueue({ Queue, Worker, connection: client, ...options } as never),
      JSON.stringify(options),
    ).toThrow(expect.objectContaining({ code }))
  bad({ Queue: undefined })
  bad({ Worker: {} })
  bad({ connection: undefined })
  bad({ connection: 'redis://localhost' })
  bad({ name: 'a:b' })
  bad({ concurrency: 0 })
  bad({ retry: { firstPauseSeconds: 0 } })
  bad({ takeOver: 1 }, 'unknown_option')
  bad({ retry: { attempt: 1 } }, 'unknown_option')
})

const jobOf = ({ key, type, endpoint }: { key: string; type: string; endpoint: string }): Job => ({
  key,
  type,
  endpoint,
  generation: 0,
})
