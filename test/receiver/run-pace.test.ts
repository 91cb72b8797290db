import { expect, it, onTestFinished, vi } from 'vitest'
import { StoreError } from '../../src/errors.js'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { audit, bank, file, openBulkRig, receiverOf, start, withDead } from './bulk-rig.js'
import { lines } from './deliver.js'

openBulkRig()

const { setTimeout: realTimeout } = globalThis

/** The delays of all timers, in milliseconds. They pass so many times faster. */
function timers(speed: number): number[] {
  const delays: number[] = []
  vi.stubGlobal('setTimeout', (run: () => void, delay = 0, ...rest: []) => {
    delays.push(delay)
    return realTimeout(run, delay / speed, ...rest)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return delays
}

/** A started receiver on the file of the rig whose bulk store differs. */
function startWithBulk(change: (bulk: BulkStore<never>) => Partial<BulkStore<never>>, over: object = {}) {
  const store = sqliteStore(file())
  const bulk = store.inbox.bulk as BulkStore<never>
  const inbox = { ...store.inbox, bulk: { ...bulk, ...change(bulk) } }
  return start(receiverOf({ store: { ...store, inbox }, ...over }))
}

it('a run waits after a step for what its rate leaves of the time, less the time of the step', async () => {
  const receiver = await withDead(2)
  const plan = await receiver.plan({ action: 'discard' })
  const delays = timers(1000)
  const run = await receiver.run(plan, { ...audit, canary: 0, perSecond: 0.1 })
  expect(await run.finished()).toMatchObject({ state: 'done', applied: 2 })
  // One event in 10 s. After 5 s it renews its lease.
  const waits = delays.filter((delay) => delay > 4000 && delay < 20_000)
  expect(waits).toEqual([5000, expect.any(Number)])
  expect(waits[1]).toBeLessThan(5000)
})

it('a slow run goes on if its lease could not be renewed once', async () => {
  await (await withDead(2)).stop()
  let renewals = 0
  const receiver = await startWithBulk((bulk) => ({
    async settleRun(...given) {
      if (given[2].state === 'running' && ++renewals === 1) {
        throw new StoreError('the store is down')
      }
      return bulk.settleRun(...given)
    },
  }))
  const plan = await receiver.plan({ action: 'discard' })
  timers(1000)
  const run = await receiver.run(plan, { ...audit, canary: 0, perSecond: 0.01 })
  expect(await run.finished()).toMatchObject({ state: 'done', applied: 2 })
  // It rests 100 s and renews its lease every 5 s.
  expect(renewals).toBeGreaterThan(10)
})

it('a run says in the log that it waits for its store', async () => {
  await (await withDead(2)).stop()
  const logger = lines()
  const down = new StoreError('the store is down')
  const failures = [down]
  const change = (bulk: BulkStore<never>): Partial<BulkStore<never>> => ({
    async step(...given) {
      const failure = failures.pop()
      if (failure) {
        throw failure
      }
      return bulk.step(...given)
    },
  })
  const receiver = await startWithBulk(change, { logger })
  const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, canary: 0 })
  expect(await run.finished()).toMatchObject({ state: 'done', applied: 2 })
  const waits = logger.written.filter((line) =>
    line.includes(`bulk ${run.id} waits for the store; it is retried`),
  )
  expect(waits).toHaveLength(1)
})

it('a process leaves a run that another process has, and reports no error', async () => {
  await (await withDead(2)).stop()
  const logger = lines()
  let steps = 0
  const receiver = await startWithBulk(
    () => ({
      async step() {
        steps++
        return undefined
      },
    }),
    { logger },
  )
  await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, canary: 0 })
  await expect.poll(() => steps).toBe(1)
  await new Promise((resolve) => realTimeout(resolve, 200))
  expect(steps).toBe(1)
  expect(logger.written.filter((line) => line.startsWith('error'))).toEqual([])
})

it('an event whose job the queue rejects is tried three times alone, then left out', async () => {
  await (await withDead(1)).stop()
  let rejected = 0
  const queue = {
    guarantee: '',
    consume: async () => async () => {},
    async enqueue() {
      rejected++
      throw new Error('no room')
    },
  }
  timers(1000)
  const receiver = await start(receiverOf({ queue }))
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 0 })
  expect(await run.finished()).toMatchObject({ state: 'done', applied: 0 })
  // Once together with others, then alone.
  expect(rejected).toBe(4)
})

it('a canary that failed names its events, and so does the log', async () => {
  const logger = lines()
  const receiver = await withDead(3, { logger })
  bank.isDown = true
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 2 })
  const { note } = await run.finished()
  expect(note).toMatch(/^its canary failed: evt_\d, evt_\d$/)
  expect(logger.written.at(-1)).toMatch(
    new RegExp(`bulk ${run.id} is stopped: 2 of 3 applied; its canary failed: evt_\\d, evt_\\d$`),
  )
})
