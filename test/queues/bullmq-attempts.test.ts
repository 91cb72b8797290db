import { join } from 'node:path'
import { Queue, Worker } from 'bullmq'
import { expect, it } from 'vitest'
import { JobNotDone } from '../../src/errors.js'
import { createReceiver } from '../../src/index.js'
import type { Job } from '../../src/queue/queue.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually, pause } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { command } from '../servers/redis.js'
import { bundle } from '../setup/bundle.js'
import { newEvent } from '../stores/postgres-rig.js'
import { newFile } from '../stores/sqlite-files.js'
import { allDone, closing, connection, errors, jobOf, openBullMq, program, redis } from './bullmq-rig.js'
import { failingWorker } from './failing-worker.js'
import { startVictim } from './victim.js'

openBullMq()

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

it('keeps the job of an event that has ended its process while the event is paused', async () => {
  const victims = await bundle(join(import.meta.dirname, 'bullmq-victim.ts'))
  closing.push(async () => victims.remove())
  const { endpoint, path, receiver, engine, sender } = program({ sweepSeconds: 1 })
  const settings = { space: endpoint, concurrency: 1, retry: { attempts: 20, firstPauseSeconds: 1 } } as never
  await receiver.start({ consume: false })
  await sender.send('transfer.settled')
  await (await startVictim(victims.path, `${redis.port} ${path} 3600`, settings)).kill()
  await receiver.pause({}, { reason: 'it ends its process', actor: 'suite' })
  await receiver.start()
  const held = await eventually(async () => (await engine.getDelayed())[0], 30)
  expect(held.stalledCounter).toBe(1)
  await receiver.resume({}, { reason: 'corrected', actor: 'suite' })
  await allDone(receiver)
  await eventually(async () => ((await engine.getJobs()).length === 0 ? true : undefined))
})

it.each([
  ['', async () => {}],
  [', even if Redis has lost its job', () => command(redis.port, 'FLUSHALL')],
])('runs a failed event immediately when an operator retries it%s', async (_, disturb) => {
  let runs = 0
  const retry = { firstPauseSeconds: 3600, longestPauseSeconds: 3600 }
  const { receiver, sender } = program({ retry, sweepSeconds: 3600 }, () => {
    runs++
    if (runs === 1) {
      throw new Error('the bank is down')
    }
  })
  await receiver.start()
  await sender.send('transfer.settled')
  await eventually(async () => ((await receiver.list({ state: 'failed' })).length > 0 ? true : undefined))
  await disturb()
  const run = await receiver.run(await receiver.plan({ action: 'retryNow' }), {
    reason: 'it is up',
    actor: 'op',
  })
  await run.finished()
  await allDone(receiver)
  expect(runs).toBe(2)
})
