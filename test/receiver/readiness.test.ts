import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, lines, secret } from './deliver.js'
import { scriptedStore } from './scripted-store.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A receiver that was never started, on a store that has no tables until `migrate` is called. */
function open() {
  let isMigrated = false
  const store = scriptedStore({
    async check() {
      if (!isMigrated) {
        throw new ConfigurationError('store_not_migrated', 'no tables')
      }
      return memoryStore().check()
    },
  })
  const receiver = createReceiver({ secret, store, now: clock, logger: lines(), fallback: () => {} })
  const deliver = async () => (await receiver.receive(await delivery())).code ?? 'processed'
  const migrate = () => {
    isMigrated = true
  }
  return { store, receiver, deliver, migrate }
}

it('a store that was misconfigured is checked again, but not for each delivery', async () => {
  const { store, deliver, migrate } = open()
  expect([await deliver(), await deliver()]).toEqual(['store_unavailable', 'store_unavailable'])
  expect(store.calls.filter((call) => call === 'check')).toHaveLength(1)
  migrate()
  vi.advanceTimersByTime(4999)
  expect(await deliver()).toBe('store_unavailable')
  vi.advanceTimersByTime(1)
  expect(await deliver()).toBe('processed')
})

it('a probe that is ready means that deliveries are accepted', async () => {
  const { receiver, deliver, migrate } = open()
  expect(await deliver()).toBe('store_unavailable')
  migrate()
  const { status } = await receiver
    .readiness()
    .receive({ method: 'GET', headers: {}, body: new Uint8Array() })
  expect([status, await deliver()]).toEqual([200, 'processed'])
})

it('start checks a store that was misconfigured', async () => {
  const { receiver, deliver, migrate } = open()
  await expect(receiver.start()).rejects.toMatchObject({ code: 'store_not_migrated' })
  migrate()
  await receiver.start()
  expect(await deliver()).toBe('processed')
  await receiver.stop()
})

it('a check that throws before it returns a promise is repeated', async () => {
  let checks = 0
  const store = scriptedStore({
    check() {
      if (checks++ === 0) {
        throw new Error('no connection')
      }
      return memoryStore().check()
    },
  })
  const receiver = createReceiver({ secret, store, now: clock, logger: false, fallback: () => {} })
  expect(await receiver.receive(await delivery())).toMatchObject({ status: 503 })
  expect(await receiver.receive(await delivery())).toMatchObject({ status: 200 })
})
