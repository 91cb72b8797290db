import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import PgBoss from 'pg-boss'
import { expect, it } from 'vitest'
import { JobNotDone } from '../../src/errors.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { eventually, pause } from '../../src/testing/laws.js'
import { bundle } from '../setup/bundle.js'
import { newEvent } from '../stores/postgres-rig.js'
import { newFile } from '../stores/sqlite-files.js'
import { failingWorker } from './failing-worker.js'
import {
  boss,
  closing,
  errors,
  jobOf,
  jobs,
  onError,
  openPgBoss,
  pool,
  program,
  server,
  states,
} from './pg-boss-rig.js'
import { startVictim } from './victim.js'

openPgBoss()

it('stop waits for the search of the sweep that is under way', async () => {
  const { queue } = program('stopped')
  const { inbox } = sqliteStore(newFile())
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const slow = {
    ...inbox,
    async due() {
      await opened
      return []
    },
  }
  const worker = { endpoint: 'stopped', run: async () => {}, markDead: async () => {} }
  const stop = await queue.consume(worker, slow as never)
  let isStopped = false
  const stopping = stop().then(() => {
    isStopped = true
  })
  // Without the sweep, stop() would wait for the search of pg-boss only.
  await jobs('webhook-inbox.stopped')
  await pause(0.3)
  expect(isStopped).toBe(false)
  open()
  await stopping
})

it('counts no attempt when the handler was not tried, and marks the event dead with the last error', async () => {
  const { queue } = program('untried', { retry: { attempts: 2, firstPauseSeconds: 0.1 } })
  const store = postgresStore({ pool })
  const event = newEvent({}, { endpoint: 'untried' })
  const failures = [
    ...[1, 2, 3].map(() => new JobNotDone('another holds it', false)),
    new JobNotDone('first'),
    new JobNotDone('last'),
  ]
  await queue.prepare?.('untried')
  await store.inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx))
  const { worker, thrown, buried } = failingWorker('untried', store.inbox, failures)
  const stop = await queue.consume(worker, store.inbox as never)
  await eventually(async () => buried[0], 30)
  await stop()
  expect(thrown).toHaveLength(5)
  expect(buried).toEqual([failures[4]])
})

it('listens to the errors of pg-boss, which would otherwise end the process', async () => {
  const deaf = new PgBoss({ connectionString: server.url })
  pgBossQueue({ boss: deaf, onError })
  const error = new Error('the connection is gone')
  deaf.emit('error', error)
  expect(errors).toEqual([error])
})

it('reports the result of a job until pg-boss has stored it', async () => {
  let faults = 2
  const complete = boss.complete.bind(boss) as (name: string, id: string, data: object) => Promise<unknown>
  const flaky = Object.create(boss, {
    complete: {
      value: (name: string, id: string, data: object) =>
        faults-- > 0 ? Promise.reject(new Error(`still ${faults}`)) : complete(name, id, data),
    },
  }) as PgBoss
  const { sender, receiver } = program('told', { boss: flaky, sweepSeconds: 3600 })
  await receiver.start()
  await sender.send('transfer.settled')
  const state = async () => (await jobs('webhook-inbox.told')).rows[0]?.state
  await eventually(async () => ((await state()) === 'completed' ? true : undefined))
  expect(errors.map(String)).toEqual(['Error: still 1', 'Error: still 0'])
})

it('stops although pg-boss cannot store the end of a job', async () => {
  const broken = Object.create(boss, {
    complete: { value: () => Promise.reject(new Error('the disk is full')) },
  }) as PgBoss
  const { sender, receiver } = program('unstored', { boss: broken })
  await receiver.start()
  await sender.send('transfer.settled')
  await eventually(async () => errors.length > 0 || undefined)
  const startedAt = performance.now()
  await receiver.stop()
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  expect(await states(receiver)).toEqual(['done'])
})

it('accepts nothing when its queue was deleted, and creates it again', async () => {
  const { sender, receiver } = program('deleted')
  await receiver.start({ consume: false })
  await boss.deleteQueue('webhook-inbox.deleted')
  expect(await sender.send('transfer.settled')).toMatchObject({ status: 503 })
  expect(await receiver.list()).toEqual([])
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
})

it('runs events whose jobs are gone', async () => {
  const { sender, receiver } = program('swept', { sweepSeconds: 0.5 })
  await receiver.start({ consume: false })
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  await boss.purgeQueue('webhook-inbox.swept')
  await receiver.start()
  await eventually(async () => ((await states(receiver)).join() === 'done,done,done' ? true : undefined), 20)
})

it('runs an event again soon after each of several deaths, without waiting for the maintenance of pg-boss', async () => {
  const victimProgram = await bundle(join(import.meta.dirname, 'pg-boss-victim.ts'))
  closing.push(async () => victimProgram.remove())
  const { sender, receiver } = program('deaths')
  await receiver.start({ consume: false })
  const { eventId } = await sender.send('transfer.settled')
  const settings = {
    space: 'deaths',
    concurrency: 1,
    retry: { attempts: 2, firstPauseSeconds: 1, longestPauseSeconds: 1 },
    hasSlowMaintenance: true,
  }
  const seconds: number[] = []
  for (let death = 1; death <= 4; death++) {
    const startedAt = performance.now()
    const victim = await startVictim(victimProgram.path, server.url, settings)
    seconds.push((performance.now() - startedAt) / 1000)
    await victim.kill()
  }
  // The sweep searches every second here. The maintenance of pg-boss returns a job after 60 to 180 s.
  expect(Math.max(...seconds), `took over after ${seconds} s`).toBeLessThan(20)
  expect(await receiver.inspect(eventId as string)).toMatchObject({ state: 'accepted', failures: 0 })
}, 240_000)

it('continues after the database was down, and does not end the process', async () => {
  const { sender, receiver } = program('outage', { takeOverSeconds: 2, sweepSeconds: 1 })
  await receiver.start()
  await sender.send('transfer.settled')
  await eventually(async () => ((await states(receiver))[0] === 'done' ? true : undefined))
  await server.stop('immediate')
  expect(await sender.send('transfer.settled')).toMatchObject({ status: 503, code: 'store_unavailable' })
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await server.start()
  const { eventId } = await eventually(async () => {
    const answer = await sender.send('transfer.settled')
    return answer.outcome === 'accepted' ? answer : undefined
  })
  await eventually(
    async () => ((await receiver.inspect(eventId as string))?.state === 'done' ? true : undefined),
    30,
  )
  expect(errors.length).toBeGreaterThan(0)
})

it('states the recovery time of the sweep in describe(), as in the documents', () => {
  expect(pgBossQueue({ boss }).guarantee).toContain('runs again within about 30 s')
  expect(pgBossQueue({ boss, sweepSeconds: 5 }).guarantee).toContain('runs again within about 10 s')
  const guide = readFileSync(join(import.meta.dirname, '../../docs/durable-inbox.md'), 'utf8')
  expect(guide).toMatch(/pgBossQueue.*run again within about half a minute/)
})
