import { join } from 'node:path'
import * as bullmq6 from 'bullmq'
import * as bullmq5 from 'bullmq5'
import { Redis } from 'ioredis'
import { expect, it, vi } from 'vitest'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { createReceiver } from '../../src/receiver.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually, pause } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { start } from '../examples/program.js'
import { bundle } from '../setup/bundle.js'
import { newEvent } from '../stores/postgres-rig.js'
import { newFile } from '../stores/sqlite-files.js'
import { allDone, closing, errors, jobOf, openBullMq, program, redis } from './bullmq-rig.js'

const { Queue, Worker } = bullmq6

openBullMq()

it('overrides the defaults of BullMQ for a job, and keeps no finished job', async () => {
  const { sender, receiver, engine } = program()
  await receiver.start({ consume: false })
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
  const job = await eventually(async () => (await engine.getJobs())[0])
  expect(job?.opts).toMatchObject({ attempts: 2 ** 31 - 1 })
  expect(job?.id).toMatch(/^[^:]*[a-z][^:]*$/)
  await receiver.start()
  await allDone(receiver)
  await eventually(async () => ((await engine.getJobs()).length === 0 ? true : undefined))
})

it.each([
  ['6', undefined, 'bull:', bullmq6],
  ['5', undefined, 'bull:', bullmq5 as never],
  ['6', 'shop', 'shop:', bullmq6],
])('BullMQ %s with the prefix %s keeps its keys below %s', async (_, prefix, beginning, bullmq) => {
  const { endpoint, sender, receiver, engine } = program({ prefix }, () => {}, bullmq)
  await receiver.start()
  await sender.send('transfer.settled')
  await allDone(receiver)
  const client = new Redis(redis.port)
  closing.push(async () => client.disconnect())
  const found = await client.keys(`*${endpoint.replace('of ', '')}*`)
  // The queue of this test opens itself with the default prefix.
  const keys = found.filter((key) => key !== engine.toKey('meta'))
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.filter((key) => !key.startsWith(beginning))).toEqual([])
  // A dashboard finds the workers by the prefix.
  expect(await engine.getWorkers()).toHaveLength(prefix === undefined ? 1 : 0)
})

it('keeps the jobs of dead events for a week', async () => {
  const { sender, receiver, engine } = program({ retry: { attempts: 1 } }, () => {
    throw new Error('no such account')
  })
  await receiver.start()
  const failed = async (count: number) => {
    const jobs = await engine.getFailed()
    return jobs.length === count ? jobs : undefined
  }
  await sender.send('transfer.settled')
  await sender.send('transfer.settled')
  const [first, second] = (await eventually(() => failed(2))) as [bullmq6.Job, bullmq6.Job]
  const client = new Redis(redis.port)
  closing.push(async () => client.disconnect())
  const daysAgo = (days: number) => Date.now() - days * 86_400_000
  const ends = [daysAgo(8), first.id as string, daysAgo(6), second.id as string]
  await client.zadd(engine.toKey('failed'), ...ends)
  await sender.send('transfer.settled')
  await expect.poll(async () => (await engine.getFailed()).map(({ id }) => id)).not.toContain(first.id)
  expect(await failed(2)).toContainEqual(expect.objectContaining({ id: second.id }))
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

it('adds no second job for an event that waits for a free slot', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let searches = 0
  const { store, sender, receiver, engine } = program({ concurrency: 1, sweepSeconds: 0.2 }, () => opened)
  const { due } = store.inbox
  vi.spyOn(store.inbox, 'due').mockImplementation((...given) => {
    searches++
    return due.apply(store.inbox, given)
  })
  await receiver.start()
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  const before = searches
  await eventually(async () => (searches > before + 4 ? true : undefined))
  expect((await engine.getWaiting()).length).toBe(2)
  open()
  await allDone(receiver)
})

it('finds an event without a job also if it was discarded, and BullMQ keeps the failed job of its first arrival', async () => {
  let runs = 0
  const { endpoint, store, queue, receiver, engine } = program(
    { sweepSeconds: 0.2, retry: { attempts: 1 } },
    () => {
      runs++
      throw new Error('no such account')
    },
  )
  await receiver.start()
  // Its process dies each time before it adds the job.
  const dying = createReceiver({
    secret: testSecret,
    store,
    endpoint,
    queue: { ...queue, committed() {} },
    fallback: () => {},
    logger: false,
  })
  await dying.start({ consume: false })
  closing.push(() => dying.stop())
  const sender = testSender({ receiver: dying })
  const answer = await sender.send('transfer.settled')
  const { eventId = '' } = answer
  const isDead = async () => (await receiver.inspect(eventId))?.state === 'dead' || undefined
  await eventually(isDead)
  await eventually(async () => (await engine.getFailed())[0])
  await receiver.discard(eventId, { reason: 'wrong', actor: 'suite' })
  expect(await sender.redeliver(answer)).toMatchObject({ outcome: 'accepted' })
  await eventually(isDead)
  expect(runs).toBe(2)
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

it('leaves nothing open after stop, so that the process ends', async () => {
  const program = await bundle(join(import.meta.dirname, 'bullmq-leaver.ts'))
  closing.push(async () => program.remove())
  for (const consume of ['true', 'false']) {
    const child = start(process.execPath, [program.path, String(redis.port), newFile(), consume])
    expect(await child.ended).toEqual({ code: 0, signal: null })
    expect(child.output()).toBe('accepted\n')
  }
})

it.each([
  [{ Queue: undefined }, 'invalid_option', 'Queue must be the class Queue of bullmq'],
  [{ Worker: {} }, 'invalid_option', 'Worker must be the class Worker of bullmq'],
  [{ connection: undefined }, 'invalid_option', 'connection must be an ioredis client'],
  [{ connection: 'redis://localhost' }, 'invalid_option', 'connection must be an ioredis client'],
  [{ name: 'a:b' }, 'invalid_option', 'name'],
  [{ concurrency: 0 }, 'invalid_option', 'concurrency must be'],
  [{ retry: { firstPauseSeconds: 0 } }, 'invalid_option', 'retry.firstPauseSeconds must be'],
  [{ takeOver: 1 }, 'unknown_option', 'takeOver is not an option of bullmqQueue'],
  [{ retry: { attempt: 1 } }, 'unknown_option', 'attempt is not an option of retry of bullmqQueue'],
])('rejects %j, and says what is wrong', (options, code, words) => {
  const client = new Redis({ lazyConnect: true })
  expect(() => bullmqQueue({ Queue, Worker, connection: client, ...options } as never)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(words) }),
  )
})
