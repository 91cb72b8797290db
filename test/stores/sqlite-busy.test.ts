import { afterAll, beforeEach, expect, test } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, nothing } from './sqlite-rig.js'

afterAll(removeFiles)

const audit = { reason: 'a test', actor: 'a test' }
const leaseSeconds = 60

let here: ReturnType<typeof sqliteStore>
let there: ReturnType<typeof sqliteStore>
beforeEach(async () => {
  const path = newFile()
  here = sqliteStore(path)
  there = sqliteStore(path)
  await here.check()
})

/** An event that another process runs. */
async function running(event = newEvent()) {
  const durations = { ...event.durations, leaseSeconds }
  await new Promise<void>((resolve) => {
    void there.once({ ...event, durations }, () => {
      resolve()
      return new Promise(() => {})
    })
  })
  return event
}

const isBusy = (outcome: { state: string; retryAfterSeconds?: number }) => {
  expect(outcome.state).toBe('busy')
  // A busy machine needs some of the time itself.
  expect(outcome.retryAfterSeconds).toBeGreaterThan(leaseSeconds / 2)
  expect(outcome.retryAfterSeconds).toBeLessThanOrEqual(leaseSeconds)
}

test('a delivery of an event that runs is told how long the claim lasts', async () => {
  const event = await running()
  isBusy(await here.once(event, nothing))
})

test('an event that runs is not accepted, and its sender is told how long the claim lasts', async () => {
  const event = await running()
  let jobs = 0
  isBusy(await here.inbox.accept(event))
  isBusy(
    await here.inbox.accept(event, async () => {
      jobs++
    }),
  )
  expect(jobs).toBe(0)
  isBusy(await here.inbox.acceptDead(event, 'invalid_data', 'a test'))
  expect(await here.inbox.read(event.key)).toBeUndefined()
})

test('an operator cannot replay or discard an event that runs, and is told what to do', async () => {
  const event = newEvent()
  await here.inbox.accept(event, nothing)
  await running(event)
  await here.inbox.markDead(event.key, 'given up')
  const busy = (fix: string) => ({
    code: 'store_unavailable',
    reason: 'busy',
    message: `store_unavailable: the event is being worked on; fix: ${fix}`,
  })
  await expect(here.inbox.discard(event.key, audit)).rejects.toMatchObject(busy('discard it in a moment'))
  await expect(here.inbox.requeue(event.key, audit, nothing)).rejects.toMatchObject(
    busy('replay it in a moment'),
  )
  expect(await here.inbox.read(event.key)).toMatchObject({ state: 'dead', generation: 0 })
})

test('a list cannot go on after a key that is not kept, and says so', async () => {
  await expect(here.inbox.list({ endpoint: 'default', after: 'no such key' })).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('no event is kept under the key that list is to go on after'),
  })
})
