import { expect, it } from 'vitest'
import { StoreError } from '../../src/errors.js'
import type { Job } from '../../src/queue/queue.js'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { audit, bank, file, openBulkRig, patiently, ran, receiverOf, start, withDead } from './bulk-rig.js'
import { delivery, lines, settled } from './deliver.js'

openBulkRig()

it('a slow run ends with its last event, and the log gives a reason only if there is one', async () => {
  const logger = lines()
  const receiver = await withDead(1, { logger })
  const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
  const { state, note } = await run.finished()
  expect([state, note]).toEqual(['done', undefined])
  expect(logger.written.at(-1)).toMatch(new RegExp(`bulk ${run.id} is done: 1 of 1 applied$`))
})

it.each([
  [1, /^1 event of its canary has failed again: evt_\d\. Make another plan for those that are dead$/],
  [2, /^2 events of its canary have failed again: evt_\d, evt_\d\. Make another plan/],
])('a run that was resumed names the %d failed events of its canary', async (canary, expected) => {
  const receiver = await withDead(4)
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary })
  expect(await run.finished()).toMatchObject({ state: 'stopped' })
  await expect.poll(async () => (await receiver.health()).counts.dead, patiently).toBe(4)
  bank.isDown = false
  await run.resume(audit)
  const { state, note } = await run.finished()
  expect([state, note]).toEqual(['done', expect.stringMatching(expected)])
})

it('a run leaves no event alone that its store failed to change while the queue rejected it', async () => {
  await (await withDead(3)).stop()
  bank.isDown = false
  const store = sqliteStore(file())
  const bulk = store.inbox.bulk as BulkStore<never>
  const down = new StoreError('the store is down')
  const failures: Error[] = [new Error('no room'), down, down, down]
  const step: typeof bulk.step = async (...given) => {
    const failure = failures.shift()
    if (failure) {
      throw failure
    }
    return bulk.step(...given)
  }
  const inbox = { ...store.inbox, bulk: { ...bulk, step } }
  const receiver = await start(receiverOf({ store: { ...store, inbox } }))
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 0 })
  expect(await run.finished()).toMatchObject({ state: 'done', applied: 3, failed: 0 })
  expect(failures).toEqual([])
})

it('a run prepares the queue and tells it of a job only if its action runs events', async () => {
  await (await withDead(2)).stop()
  let prepared = 0
  const jobs: string[] = []
  const queue = {
    guarantee: '',
    consume: async () => async () => {},
    prepare: async () => void prepared++,
    committed: (job: Job) => void jobs.push(job.key),
  }
  const receiver = await start(receiverOf({ queue }))
  const apply = async (action: 'discard' | 'retryNow') =>
    (await receiver.run(await receiver.plan({ action }), audit)).finished()
  const [failing, other] = await receiver.list()
  await receiver.replay(failing?.id as string, audit)
  await sqliteStore(file()).inbox.postpone(failing?.key as string, 3600, 'the bank is down')
  prepared = jobs.length = 0

  expect(await apply('discard')).toMatchObject({ state: 'done', applied: 1 })
  expect(await receiver.inspect(other?.id as string)).toBeUndefined()
  expect([prepared, jobs]).toEqual([0, []])
  expect(await apply('retryNow')).toMatchObject({ state: 'done', applied: 1 })
  expect(prepared).toBeGreaterThan(0)
  expect(jobs).toEqual([failing?.key])
})

it('a run that gives up does not take the events of its canary for failures', async () => {
  const idle = { guarantee: '', consume: async () => async () => {} }
  const receiver = await start(receiverOf({ queue: idle }))
  for (const id of ['evt_0', 'evt_1', 'evt_2']) {
    await receiver.receive(await delivery({ ...settled, id }))
  }
  const run = await receiver.run(await receiver.plan({ action: 'giveUp' }), { ...audit, canary: 2 })
  const { state, applied, note } = await run.finished()
  expect([state, applied, note]).toEqual(['done', 3, undefined])
})

it.each([
  ['without a queue', undefined],
  ['with a queue that is not told of jobs', { guarantee: '', consume: async () => async () => {} }],
])('a process %s applies a run that replays, and another one runs its events', async (_, queue) => {
  await (await withDead(3)).stop()
  bank.isDown = false
  const elsewhere = receiverOf()
  const run = await elsewhere.run(await elsewhere.plan({ action: 'replay' }), { ...audit, canary: 0 })
  const logger = lines()
  const operator = await start(receiverOf({ queue, logger }))
  expect(await run.finished()).toMatchObject({ state: 'done', applied: 3, failed: 0 })
  await operator.stop()
  expect(ran).toEqual([])
  expect(logger.written.filter((line) => line.startsWith('error'))).toEqual([])
  await start(receiverOf())
  await expect.poll(() => ran.length, patiently).toBe(3)
})
