import { expect, it } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { eventually, pause } from '../../src/testing/laws.js'
import { newEvent } from '../stores/postgres-rig.js'
import { boss, jobOf, jobs, openPgBoss, pool, program } from './pg-boss-rig.js'

openPgBoss()

it('a search adds no job for an event whose held job waits', async () => {
  const limits = { byType: { 'transfer.settled': { perSecond: 0.01 } } }
  let runs = 0
  const handler = async () => void runs++
  const settings = { pollSeconds: 0.05, sweepSeconds: 3600 }
  const { queue, receiver, sender } = program('held', settings, handler, { limits })
  await receiver.start()
  await sender.send('transfer.settled')
  await eventually(async () => runs === 1 || undefined)
  await sender.send('transfer.settled')
  const jobIds = async () => (await jobs('webhook-inbox.held')).rows.map(({ id }) => id)
  // The jobs of both events, and the one that the second event left when it was held.
  await eventually(async () => (await jobIds()).length === 3 || undefined)
  const before = await jobIds()
  queue.resumed?.()
  await pause(1)
  expect(await jobIds()).toEqual(before)
})

it('searches add a job for an event again when a worker has taken the last one and died', async () => {
  const queue = 'webhook-inbox.taken'
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const { receiver, sender } = program('taken', { concurrency: 1, sweepSeconds: 0.2 }, () => opened)
  await receiver.start()
  const running = await sender.send('transfer.settled')
  await eventually(
    async () => (await receiver.explain(running.eventId ?? '')).reason === 'running' || undefined,
  )
  const { eventId = '' } = await sender.send('transfer.settled')
  // This process has no free slot. So this test takes each job, as the worker that dies.
  for (let deaths = 0; deaths < 3; deaths++) {
    await eventually(async () => (await boss.fetch(queue))[0])
  }
  open()
  await eventually(async () => (await receiver.inspect(eventId))?.state === 'done' || undefined)
})

it('searches add few jobs for an event whose store is down', async () => {
  const { queue } = program('untried', { pollSeconds: 0.05, sweepSeconds: 0.4 })
  const { inbox } = postgresStore({ pool })
  const event = newEvent({}, { endpoint: 'untried' })
  await queue.prepare?.('untried')
  await inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx))
  let runs = 0
  const run = async () => {
    runs++
    throw new StoreError('the store is down')
  }
  const stop = await queue.consume({ endpoint: 'untried', run, markDead: async () => {} }, inbox as never)
  // pg-boss lets a job that was not tried wait for two seconds.
  await pause(4)
  await stop()
  expect(runs).toBeGreaterThan(1)
  expect((await jobs('webhook-inbox.untried')).rows.length).toBeLessThan(6)
})
