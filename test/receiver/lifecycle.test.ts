import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { ConfigurationError, StoreError } from '../../src/errors.js'
import { localQueue } from '../../src/queues/local.js'
import { createGate, createReceiver } from '../../src/receiver.js'
import type { FlowStore } from '../../src/store/flow-store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

const base = { secret, now: clock, logger: false, fallback: () => {} } as const

afterAll(removeFiles)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('start', () => {
  it('checks the store before deliveries do, and logs the guarantee', async () => {
    const logger = lines()
    const store = scriptedStore()
    const receiver = createReceiver({ ...base, logger, store })
    expect(receiver.describe()).toBe('guarantee not known: this process has not called start()')
    await Promise.all([receiver.start(), receiver.start()])
    expect(store.calls).toContain('check')
    store.calls.length = 0
    await receiver.receive(await delivery())
    expect(store.calls).toEqual(['once'])
    expect(logger.written[0]).toMatch(/^info webhook-inbox: started with memory, without a queue; /)
    expect(receiver.describe()).toContain('store: memory, shared by this process only')
    const { length } = logger.written
    await receiver.start({ announce: false })
    expect(logger.written).toHaveLength(length)
    expect(receiver.describe()).toContain(
      'survive a process crash: no, because the memory dies with the process',
    )
  })

  it('logs first what the handler threw when its event dies', async () => {
    const logger = lines()
    const fallback = () => {
      throw new TypeError('no amount')
    }
    const queue = localQueue({ retry: { attempts: 1 } })
    const receiver = createReceiver({ ...base, fallback, logger, store: sqliteStore(newFile()), queue })
    await receiver.start()
    await receiver.receive(await delivery())
    const death = () => logger.written.find((line) => line.includes('no attempt is left'))
    await expect.poll(death).toMatch(/no attempt is left; TypeError: no amount; at /)
    await receiver.stop()
  })

  it('does the same for a gate', async () => {
    const gate = createGate({ secret, store: memoryStore(), logger: false })
    await gate.start()
    expect(gate.describe()).toContain('store: memory')
    await gate.stop()
  })

  it('rejects each time if the store cannot give its guarantee', async () => {
    const store = scriptedStore({
      check: () => Promise.reject(new ConfigurationError('store_evicts', 'allkeys-lru')),
    })
    const receiver = createReceiver({ ...base, store })
    for (let i = 0; i < 2; i++) {
      await expect(receiver.start()).rejects.toMatchObject({ code: 'store_evicts' })
    }
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
    expect(new Set(store.calls)).toEqual(new Set(['check']))
  })

  it('rejects, and may be called again, if the store cannot be reached', async () => {
    const check = vi.fn(() => memoryStore().check()).mockRejectedValueOnce(new Error('ECONNREFUSED'))
    const receiver = createReceiver({ ...base, store: scriptedStore({ check }) })
    await expect(receiver.start()).rejects.toThrow('ECONNREFUSED')
    await receiver.start()
  })

  it('rejects if the store does not answer in time', async () => {
    const receiver = createReceiver({
      ...base,
      store: scriptedStore({ check: () => never }),
      handlerTimeoutSeconds: 0.05,
    })
    await expect(receiver.start()).rejects.toBeInstanceOf(StoreError)
    await expect(receiver.start()).rejects.toThrow('check() of the store did not settle within 0.05 s')
  })
})

describe('start with a queue', () => {
  it('starts one consumer in any number of calls, and retries after a failure', async () => {
    let starts = 0
    let ends = 0
    const { inbox } = sqliteStore(newFile())
    const receiver = createReceiver({
      ...base,
      store: { ...scriptedStore(), inbox: inbox as never },
      queue: {
        guarantee: '',
        async consume() {
          await new Promise((resolve) => setTimeout(resolve, 10))
          if (++starts === 1) {
            throw new StoreError('down')
          }
          return async () => void ends++
        },
      },
    })
    await expect(receiver.start()).rejects.toBeInstanceOf(StoreError)
    await Promise.all([receiver.start(), receiver.start()])
    await receiver.start()
    expect(starts).toBe(2)
    await receiver.stop()
    await receiver.stop()
    expect(ends).toBe(1)
  })
})

describe('a queue', () => {
  it('is checked by start, runs nothing with consume: false, and is closed by stop', async () => {
    const calls: string[] = []
    const receiver = createReceiver({
      ...base,
      endpoint: 'mine',
      store: sqliteStore(newFile()) as never,
      queue: {
        guarantee: '',
        check: async (endpoint: string) => void calls.push(`check ${endpoint}`),
        async consume() {
          calls.push('consume')
          return async () => void calls.push('end')
        },
        close: async () => void calls.push('close'),
      },
    })
    await receiver.start({ consume: false })
    expect(calls).toEqual(['check mine'])
    await receiver.start()
    await receiver.stop()
    expect(calls).toEqual(['check mine', 'check mine', 'consume', 'end', 'close'])
  })
})

describe('start that was never called', () => {
  it('is logged at the first event that a queue should run, once', async () => {
    const logger = lines()
    const store = sqliteStore(newFile())
    const options = { ...base, store, logger }
    const receiver = createReceiver({ ...options, queue: localQueue() })
    const warnings = () => logger.written.filter((line) => line.includes('receiver.start() was never called'))
    for (let i = 0; i < 3; i++) {
      await receiver.receive(await delivery({ ...settled, id: `evt_${i}` }))
    }
    expect(warnings()).toEqual([
      expect.stringMatching(
        /^warn .*fix: call await receiver.start\(\).*a bundler may have .*twice: .*globalThis$/,
      ),
    ])

    const started = createReceiver({ ...options, queue: localQueue() })
    await started.start({ consume: false })
    await started.receive(await delivery({ ...settled, id: 'evt_started' }))
    await createReceiver(options).receive(await delivery({ ...settled, id: 'evt_inline' }))
    expect(warnings()).toHaveLength(1)
    await store.close()
  })
})

describe('between start and stop', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  interface Given {
    readonly consume: boolean
    readonly hasQueue: boolean
    readonly hasFlow: boolean
    readonly hasOpenRun?: boolean
  }

  it.each<[string, number, Given]>([
    ['runs events and is told of bulk runs by its beat', 1, { consume: true, hasQueue: true, hasFlow: true }],
    [
      'hears of an open bulk run with each beat',
      5,
      { consume: true, hasQueue: true, hasFlow: true, hasOpenRun: true },
    ],
    ['runs no events', 4, { consume: false, hasQueue: true, hasFlow: true }],
    ['has no queue', 4, { consume: true, hasQueue: false, hasFlow: true }],
    ['has a store without beats', 4, { consume: true, hasQueue: true, hasFlow: false }],
  ])('a process that %s looks for bulk runs %i times in a minute', async (_, looks, given) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const store = sqliteStore(newFile())
    const takeRun = vi.fn(async () => undefined)
    const inbox = { ...store.inbox, bulk: { ...store.inbox.bulk, takeRun } }
    if (given.hasOpenRun) {
      const beat = async () => ({ pauses: [], circuits: [], hasOpenRun: true })
      inbox.flow = { ...(inbox.flow as FlowStore), beat }
    }
    const endWatch = vi.fn()
    const watch = vi.fn(() => endWatch)
    const receiver = createReceiver({
      ...base,
      store: { ...store, inbox: given.hasFlow ? inbox : { ...inbox, flow: undefined } } as never,
      queue: given.hasQueue ? localQueue() : undefined,
      telemetry: { watch },
    } as never)
    await receiver.start({ consume: given.consume })
    await receiver.start({ consume: given.consume })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(takeRun).toHaveBeenCalledTimes(looks)
    expect(watch).toHaveBeenCalledTimes(1)
    expect(endWatch).not.toHaveBeenCalled()
    await receiver.stop()
    await receiver.stop()
    expect(endWatch).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(7_200_000)
    expect(takeRun).toHaveBeenCalledTimes(looks)
    await receiver.start({ consume: given.consume })
    expect(takeRun.mock.calls.length).toBeGreaterThan(looks)
    expect(watch).toHaveBeenCalledTimes(2)
    await receiver.stop()
    await store.close()
  })
})

it('a store whose inbox cannot hold events back is consumed and stopped', async () => {
  const store = sqliteStore(newFile())
  const { flow: _, ...inbox } = store.inbox
  const receiver = createReceiver({ ...base, store: { ...store, inbox } as never, queue: localQueue() })
  await receiver.start()
  await receiver.receive(await delivery())
  await vi.waitFor(async () => expect(await receiver.inspect(settled.id)).toMatchObject({ state: 'done' }))
  await receiver.stop()
  await store.close()
})

it('accepts nothing into a store that cannot give its guarantee', async () => {
  const store = sqliteStore(newFile())
  const receiver = createReceiver({
    ...base,
    store: {
      ...store,
      check: () => Promise.reject(new ConfigurationError('store_volatile', 'synchronous is off')),
    } as never,
    queue: { guarantee: '', consume: async () => async () => {} },
  })
  expect(await receiver.receive(await delivery())).toMatchObject({ status: 503, code: 'store_unavailable' })
  expect(await store.inbox.list({ allEndpoints: true })).toEqual([])
})
