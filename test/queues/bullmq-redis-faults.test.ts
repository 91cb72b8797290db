import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as bullmq6 from 'bullmq'
import * as bullmq5 from 'bullmq5'
import { expect, it } from 'vitest'
import type { Job } from '../../src/queue/queue.js'
import { eventually } from '../../src/testing/laws.js'
import { start } from '../examples/program.js'
import { command, freePort } from '../servers/redis.js'
import { bundle } from '../setup/bundle.js'
import { newEvent } from '../stores/postgres-rig.js'
import { allDone, closing, connection, errors, jobOf, openBullMq, program, redis } from './bullmq-rig.js'

openBullMq()

it('reports each outage', async () => {
  const { endpoint, queue, engine } = program()
  await engine.waitUntilReady()
  const add = () => queue.committed?.(jobOf(newEvent({}, { endpoint })))
  for (let outage = 1; outage <= 2; outage++) {
    await command(redis.port, 'CONFIG SET maxmemory 1')
    const known = errors.length
    try {
      await eventually(async () => {
        add()
        return errors.length > known ? true : undefined
      })
    } finally {
      await command(redis.port, 'CONFIG SET maxmemory 0')
    }
    // What waits in memory may be rejected or taken. The next job is taken.
    await queue.close?.()
    const before = (await engine.getWaiting()).length
    add()
    await eventually(async () => ((await engine.getWaiting()).length > before ? true : undefined))
  }
  expect(errors.map(String)).toEqual(errors.map(() => expect.stringContaining('OOM')))
  await queue.close?.()
})

it.each([
  ['6', bullmq6],
  ['5', bullmq5 as never],
])('runs an event whose job Redis has lost, with BullMQ %s', async (_, bullmq) => {
  const { receiver, sender, engine } = program({ sweepSeconds: 0.2 }, () => {}, bullmq)
  await receiver.start({ consume: false })
  await sender.send('transfer.settled')
  const lost = await eventually(async () => (await engine.getWaiting())[0])
  await command(redis.port, `DEL ${engine.toKey(lost.id as string)} ${engine.toKey('wait')}`)
  await receiver.start()
  await allDone(receiver)
})

it('asks a Redis that refuses writes once a second', async () => {
  const { receiver, sender } = program({ sweepSeconds: 3600 })
  await receiver.start({ consume: false })
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  await command(redis.port, 'CONFIG SET maxmemory 1')
  await receiver.start()
  try {
    await eventually(async () => (errors.length > 0 ? true : undefined))
    await command(redis.port, 'CONFIG RESETSTAT')
    await sleep(3000)
  } finally {
    await command(redis.port, 'CONFIG SET maxmemory 0')
  }
  expect(errors.map(String)).toEqual(errors.map(() => expect.stringContaining('OOM')))
  const refused = /errorstat_OOM:count=(\d+)/.exec(await command(redis.port, 'INFO errorstats'))?.[1]
  expect(Number(refused)).toBeGreaterThan(1)
  expect(Number(refused)).toBeLessThan(8)
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

it('rejects with the cause when a consumer cannot connect, and tries no more', async () => {
  const port = await freePort()
  const { endpoint, store, queue } = program({ connection: { ...connection(), port } })
  const worker = { endpoint, run: async () => {}, markDead: async () => {} }
  await expect(queue.consume(worker, store.inbox as never)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(/did not let a worker connect within 5 s \(.*ECONNREFUSED/),
    cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
  })
  const known = errors.length
  expect(known).toBeGreaterThan(0)
  // A client that is not closed tries again about once a second.
  await sleep(2500)
  expect(errors).toHaveLength(known)
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
