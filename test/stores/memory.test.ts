import { describe, expect, test } from 'vitest'
import type { LeaseStore } from '../../src/store/lease.js'
import { leaseStore } from '../../src/store/lease.js'
import { memoryLeases, memoryStore } from '../../src/stores/memory.js'
import { leaseSuite } from '../../src/testing/lease-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'

/** One memory for several instances. Closing an instance keeps it. */
function shared(): () => LeaseStore {
  const leases = memoryLeases()
  return () => ({ ...leases, close: async () => {} })
}

describe('the verbs of the memory store', () => leaseSuite(test, shared()))

describe('the memory store', () => {
  storeSuite(test, () => memoryStore())
})

describe('several instances over one memory', () => {
  const make = shared()
  storeSuite(test, () => leaseStore(make()))
})

test('a memory store loses its events when it is closed', async () => {
  const leases = memoryLeases()
  const claim = await leases.claim('key', 60)
  await leases.complete('key', claim.state === 'claimed' ? claim.token : '', 'hash', 60)
  expect((await leases.claim('key', 60)).state).toBe('done')
  await leases.close()
  expect(await leases.claim('key', 60)).toMatchObject({ state: 'claimed', attempt: 1 })
})

/** Does an event: claims it, and completes its claim. */
async function finish(leases: LeaseStore, key: string, retentionSeconds = 60): Promise<void> {
  const claim = await leases.claim(key, 60)
  expect(claim.state).toBe('claimed')
  await leases.complete(key, claim.state === 'claimed' ? claim.token : '', 'hash', retentionSeconds)
}

const isDone = async (leases: LeaseStore, key: string) => (await leases.claim(key, 60)).state === 'done'

test('events that prune forgot are not counted again, and leave room for maxEvents others', async () => {
  let time = 1000
  const leases = memoryLeases({ maxEvents: 3, now: () => time })
  const later = () => new Date((time + 60) * 1000)
  for (const key of ['a', 'b', 'c']) {
    await finish(leases, key)
  }
  time += 61
  expect(await leases.prune?.(later(), 2)).toBe(2)
  expect(await leases.prune?.(later(), 9)).toBe(1)
  expect(await leases.prune?.(later(), 9)).toBe(0)
  for (const key of ['d', 'e', 'f']) {
    await finish(leases, key)
  }
  for (const key of ['d', 'e', 'f']) {
    expect(await leases.claim(key, 60)).toMatchObject({ state: 'done' })
  }
  time += 61
  expect(await leases.prune?.(later(), 9)).toBe(3)
})

test('an event that prune keeps among others leaves room for one less, and is forgotten first', async () => {
  let time = 1000
  const leases = memoryLeases({ maxEvents: 3, now: () => time })
  await finish(leases, 'a', 5)
  await finish(leases, 'kept', 1000)
  await finish(leases, 'b', 5)
  time += 10
  expect(await leases.prune(new Date(2000_000), 9)).toBe(2)
  await finish(leases, 'c')
  await finish(leases, 'd')
  expect(await isDone(leases, 'kept')).toBe(true)
  await finish(leases, 'e')
  expect(await isDone(leases, 'c')).toBe(true)
  expect(await isDone(leases, 'kept')).toBe(false)
})

test('beyond maxEvents the oldest done event is forgotten, and no other', async () => {
  const leases = memoryLeases({ maxEvents: 3 })
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    await finish(leases, key)
  }
  expect(await isDone(leases, 'c')).toBe(true)
  expect(await isDone(leases, 'd')).toBe(true)
  expect(await isDone(leases, 'e')).toBe(true)
  expect(await isDone(leases, 'b')).toBe(false)
})

test('an event that was done again outlives the place of its first time', async () => {
  let time = 1000
  const leases = memoryLeases({ maxEvents: 2, now: () => time })
  await finish(leases, 'again', 10)
  time += 20
  await finish(leases, 'again')
  await finish(leases, 'other')
  expect(await isDone(leases, 'again')).toBe(true)
})

test('prune forgets what was done before a time, the oldest first, up to a limit', async () => {
  let time = 1000
  const leases = memoryLeases({ now: () => time })
  for (const key of ['a', 'b', 'c', 'd']) {
    await finish(leases, key, key === 'd' ? 60 : 0.5)
    time++
  }
  expect(await leases.prune(new Date(1000_000), 10)).toBe(0)
  expect(await leases.prune(new Date(1003_000), 2)).toBe(2)
  expect(await leases.prune(new Date(1003_000), 10)).toBe(1)
  expect(await leases.prune(new Date(1003_000), 10)).toBe(0)
  expect(await isDone(leases, 'd')).toBe(true)
  time += 60
  expect(await leases.prune(new Date(2000_000), 10)).toBe(1)
  expect(await leases.prune(new Date(2000_000), 10)).toBe(0)
  expect(await isDone(leases, 'a')).toBe(false)
})

test.each([
  [{ now: 7 }, 'invalid_option: now must be a function'],
  [{ maxEvents: 0 }, 'invalid_option: maxEvents must be a positive whole number'],
  [{ maxEvents: 1.5 }, 'invalid_option: maxEvents must be a positive whole number'],
  [{ max: 1 }, 'unknown_option: max is not an option of memoryStore'],
])('the option %j is rejected', (options, message) => {
  expect(() => memoryStore(options as never)).toThrow(message)
})

test('a store without room says what to do', async () => {
  const leases = memoryLeases({ maxEvents: 1 })
  await leases.claim('a', 60)
  await expect(async () => leases.claim('b', 60)).rejects.toThrow(
    'the memory store holds 1 claims in use; raise maxEvents',
  )
})

test('a claim that ends in this very moment makes room', async () => {
  let time = 1000
  const leases = memoryLeases({ maxEvents: 1, now: () => time })
  await leases.claim('a', 60)
  time += 60
  expect(await leases.claim('b', 60)).toMatchObject({ state: 'claimed', attempt: 1 })
})
