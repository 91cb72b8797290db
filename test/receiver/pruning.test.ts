import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { createReceiver, memoryStore, type Receiver } from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret } from './deliver.js'

afterAll(removeFiles)

const receivers: Receiver[] = []
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.stop())))

function start(options: Partial<Parameters<typeof createReceiver>[0]> = {}) {
  const receiver = createReceiver({
    secret,
    now: clock,
    store: oldStore(),
    handlers: { 'transfer.settled': () => {} },
    logger: false,
    pruneEverySeconds: 0.02,
    ...options,
  })
  receivers.push(receiver)
  return receiver
}

/** A store whose clock is a hundred days behind until `age`. What was done before is then older than the retention of 90 days. */
function oldStore() {
  let daysBehind = 100
  const store = memoryStore({ now: () => Date.now() / 1000 - daysBehind * 86_400 })
  return {
    ...store,
    age() {
      daysBehind = 0
    },
  }
}

test('after start(), events that are older than the retention are forgotten', async () => {
  const { age, ...store } = oldStore()
  let forgotten = 0
  async function prune(before: Date, limit: number) {
    const count = await store.prune(before, limit)
    forgotten += count
    return count
  }
  const receiver = start({ store: { ...store, prune } })
  const settled = await delivery()
  expect((await receiver.receive(settled)).outcome).toBe('processed')
  expect((await receiver.receive(settled)).outcome).toBe('duplicate')
  age()
  await receiver.start()
  await vi.waitFor(() => expect(forgotten).toBe(1))
  expect((await receiver.receive(settled)).outcome).toBe('processed')
})

test('with pruneEverySeconds: false, only prune() forgets', async () => {
  const { age, ...store } = oldStore()
  const receiver = start({ pruneEverySeconds: false, store })
  await receiver.start()
  const settled = await delivery()
  await receiver.receive(settled)
  expect((await receiver.receive(settled)).outcome).toBe('duplicate')
  age()
  await pause(200)
  expect(await receiver.prune()).toBe(1)
})

test('a failure is logged, and the next period retries', async () => {
  const prune = vi.fn().mockRejectedValueOnce(new Error('the disk is full')).mockResolvedValue(0)
  const error = vi.fn()
  const receiver = start({
    store: { ...oldStore(), prune },
    logger: { info() {}, warn() {}, error },
  })
  await receiver.start()
  await vi.waitFor(() => expect(prune.mock.calls.length).toBeGreaterThan(2))
  expect(error.mock.calls.flat().join()).toMatch(/pruning failed; it is retried in 0.02 s.*the disk is full/)
  expect(error).toHaveBeenCalledTimes(1)
})

test('stop() waits for the step that is under way, and no other follows', async () => {
  let ended = 0
  const prune = vi.fn(async () => {
    await pause(100)
    ended++
    return 1000
  })
  const receiver = start({ store: { ...oldStore(), prune } })
  await receiver.start()
  await vi.waitFor(() => expect(prune).toHaveBeenCalled())
  await receiver.stop()
  const calls = prune.mock.calls.length
  expect(ended).toBe(calls)
  await pause(150)
  expect(prune).toHaveBeenCalledTimes(calls)
})

test.each([0, -1, 86_401, Number.NaN, '60', true])(
  'pruneEverySeconds: %s is rejected',
  (pruneEverySeconds) => {
    expect(() => start({ pruneEverySeconds: pruneEverySeconds as never })).toThrow(
      'pruneEverySeconds must be a positive number, at most a day, or false',
    )
  },
)

test('prune() also deletes what was discarded, plans and groups, batch after batch, and counts none of them', async () => {
  const store = sqliteStore(newFile())
  const twoBatches = () => vi.fn(async (..._: number[]) => 0).mockResolvedValueOnce(1000)
  const [pruneDiscarded, prunePlans, pruneGroups] = [twoBatches(), twoBatches(), twoBatches()]
  const inbox = {
    ...store.inbox,
    bulk: { ...store.inbox.bulk, pruneDiscarded, prunePlans },
    failures: { ...store.inbox.failures, prune: pruneGroups },
  }
  const receiver = start({ store: { ...store, inbox } as never, pruneEverySeconds: false })
  expect(await receiver.prune()).toBe(0)
  const retention = 90 * 86_400
  expect(pruneDiscarded.mock.calls).toEqual([[1000], [1000]])
  expect(prunePlans.mock.calls).toEqual([
    [retention, 1000],
    [retention, 1000],
  ])
  expect(pruneGroups.mock.calls).toEqual([
    [retention, 1000],
    [retention, 1000],
  ])
})

test('prune() works on a store that has neither plans nor groups', async () => {
  const store = sqliteStore(newFile())
  const inbox = { ...store.inbox, bulk: undefined, failures: undefined }
  expect(await start({ store: { ...store, inbox } as never }).prune()).toBe(0)
})

test('no wait for a period keeps a process alive', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValueOnce(0.5).mockReturnValue(0)
  const timers = vi.spyOn(globalThis, 'setTimeout')
  try {
    const prune = vi.fn(async () => 0)
    await start({ pruneEverySeconds: 3600 }).start()
    await start({ pruneEverySeconds: 3600, store: { ...oldStore(), prune } }).start()
    await vi.waitFor(() => expect(prune).toHaveBeenCalled())
    await new Promise(setImmediate)
    const waits = timers.mock.results.flatMap(({ value }, i) => {
      const milliseconds = timers.mock.calls[i]?.[1] ?? 0
      return milliseconds > 60_000 ? [[milliseconds, value.hasRef()]] : []
    })
    expect(waits).toEqual([
      [1_800_000, false],
      [3_600_000, false],
    ])
  } finally {
    random.mockRestore()
    timers.mockRestore()
  }
})
