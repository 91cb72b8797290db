import { afterAll, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { deferred } from '../store/scripted-leases.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'
import { never } from './scripted-store.js'

afterAll(removeFiles)

const base = { secret, now: clock, logger: false, fallback: () => {} } as const

describe('stop', () => {
  it('waits for deliveries in progress', async () => {
    const gate = deferred()
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback: () => gate.promise })
    const delivering = receiver.receive(await delivery())
    let isStopped = false
    const stopping = receiver.stop().then(() => {
      isStopped = true
    })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(isStopped).toBe(false)
    gate.resolve()
    await stopping
    expect(await delivering).toMatchObject({ outcome: 'processed' })
  })

  it('waits for each of several', async () => {
    const gates = [deferred(), deferred()] as const
    let next = 0
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      fallback: () => gates[next++ as 0 | 1].promise,
    })
    const first = receiver.receive(await delivery({ ...settled, id: 'evt_a' }))
    const second = receiver.receive(await delivery({ ...settled, id: 'evt_b' }))
    let isStopped = false
    const stopping = receiver.stop().then(() => {
      isStopped = true
    })
    gates[0].resolve()
    await first
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(isStopped).toBe(false)
    gates[1].resolve()
    await stopping
    expect(await second).toMatchObject({ outcome: 'processed' })
  })

  it('waits no longer than the time limit, not at all when idle, and ignores failed deliveries', async () => {
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      handlerTimeoutSeconds: 0.05,
      fallback: () => never,
    })
    await receiver.stop()
    const delivering = receiver.receive(await delivery())
    const failing = receiver
      .receive({ ...(await delivery()), body: 'text' as never })
      .catch((error: unknown) => error)
    await receiver.stop()
    expect(await delivering).toMatchObject({ code: 'handler_timeout' })
    expect(await failing).toBeInstanceOf(ConfigurationError)
  })

  it('ends before a start() that comes meanwhile, and closes only what it has stopped', async () => {
    const steps: string[] = []
    const gate = deferred()
    const queue = {
      guarantee: '',
      enqueue: async () => {},
      async consume() {
        steps.push('consume')
        return () => gate.promise
      },
      close: async () => void steps.push('close'),
    }
    const store = sqliteStore(newFile())
    const receiver = createReceiver({ ...base, store, queue, handlerTimeoutSeconds: 30 } as never)
    await receiver.start()
    const stopped = receiver.stop().then(() => steps.push('stopped'))
    const started = receiver.start().then(() => steps.push('started'))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(steps).toEqual(['consume'])
    gate.resolve()
    await Promise.all([stopped, started])
    expect(steps).toEqual(['consume', 'close', 'stopped', 'consume', 'started'])
    expect(receiver.stopping.aborted).toBe(false)
    await receiver.stop()
  })

  it('wins over a start() that waits for an earlier one', async () => {
    const receiver = createReceiver({ ...base, store: memoryStore() })
    const stops = [receiver.stop()]
    const started = receiver.start()
    stops.push(receiver.stop())
    await expect(started).rejects.toThrow('the receiver was stopped')
    await Promise.all(stops)
    expect(receiver.stopping.aborted).toBe(true)
    await receiver.start()
    expect(receiver.stopping.aborted).toBe(false)
    await receiver.stop()
  })
})
