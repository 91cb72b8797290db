import { afterAll, expect, it, vi } from 'vitest'
import type { Queue, Worker } from '../../src/queue/queue.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import type { Telemetry } from '../../src/telemetry/telemetry.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { delivery, lines, settled } from './deliver.js'
import { common, patiently, recorder } from './telemetry-recorder.js'

afterAll(removeFiles)

it('a failed attempt is a retry, and the last one a death', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({
    ...common,
    store: sqliteStore(newFile()),
    queue: localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.01 } }),
    fallback: () => Promise.reject(new Error('no such account')),
    telemetry,
  })
  await receiver.start()
  await receiver.receive(await delivery())
  await vi.waitFor(() => expect(told.died).toHaveLength(1), patiently)
  await receiver.stop()
  expect(told.retried).toMatchObject([{ endpoint: 'default' }])
  expect(told.died).toEqual([{ endpoint: 'default', type: 'transfer.settled', eventId: 'evt_1' }])
  expect(told.ran).toMatchObject([
    { result: { code: 'handler_failed' }, attempt: 1 },
    { result: { code: 'handler_failed' }, attempt: 2 },
  ])
})

it('a failed attempt keeps its cause where telemetry reports the retry', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({
    ...common,
    store: sqliteStore(newFile()),
    queue: localQueue({ retry: { firstPauseSeconds: 3600 } }),
    fallback: () => Promise.reject(new Error('no such account')),
    telemetry,
  })
  await receiver.start()
  await receiver.receive(await delivery())
  await vi.waitFor(() => expect(told.retried).toHaveLength(1), patiently)
  expect(await receiver.failures()).toMatchObject([
    {
      title: 'Error: no such account',
      count: 1,
      failed: 1,
      place: expect.stringContaining('telemetry-faults.test.ts'),
    },
  ])
  await receiver.stop()
})

it('data that no retry can fix is a death', async () => {
  const { told, telemetry } = recorder()
  let worker: Worker | undefined
  const queue: Queue = {
    guarantee: '',
    async consume(given) {
      worker = given
      return async () => {}
    },
  }
  const store = sqliteStore(newFile())
  const receiver = createReceiver({ ...common, store, queue, fallback: () => {}, telemetry })
  await receiver.start()
  await receiver.receive(await delivery({ ...settled, data: { transferId: 7 } }))
  const [stored] = await receiver.list()
  await worker?.run({ key: stored?.key as string, type: settled.type, endpoint: 'default', generation: 0 })
  expect(told.died).toMatchObject([{ eventId: 'evt_1' }])
  expect(told.ran).toMatchObject([{ result: { outcome: 'quarantined', code: 'invalid_data' } }])
})

it('a claim that has passed to another holder is told', async () => {
  const { told, telemetry } = recorder()
  const real = memoryStore()
  const store = {
    ...real,
    async once(event: never, work: never) {
      const outcome = await real.once(event, work)
      return outcome.state === 'done' ? ({ state: 'lost' } as const) : outcome
    },
  }
  const receiver = createReceiver({ ...common, store, fallback: () => {}, telemetry })
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'in_progress' })
  expect(told.ran).toMatchObject([{ isClaimLost: true, attempt: 1 }])
})

it('an event that the store cannot keep is told with its cause', async () => {
  const { told, telemetry } = recorder()
  const real = sqliteStore(newFile())
  const cause = new Error('disk full')
  const accept = () => Promise.reject(cause)
  const store = { ...real, inbox: { ...real.inbox, accept } } as never
  const receiver = createReceiver({ ...common, store, queue: localQueue(), fallback: () => {}, telemetry })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
  expect(told.stored).toEqual([{ state: 'failed', cause }])
  await real.close()
})

it('a run that the store cannot serve is told with its cause', async () => {
  const { told, telemetry } = recorder()
  const cause = new Error('disk full')
  const store = { ...memoryStore(), once: () => Promise.reject(cause) }
  const receiver = createReceiver({ ...common, store, fallback: () => {}, telemetry })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
  expect(told.ran).toMatchObject([{ result: { code: 'store_unavailable', eventId: 'evt_1', cause } }])
})

it('a failure of the work that a telemetry passes on is no failure of the telemetry', async () => {
  const logger = lines()
  const telemetry: Telemetry = { storing: () => ({ within: (work) => work() }) }
  const real = sqliteStore(newFile())
  const accept = () => Promise.reject(new Error('disk full'))
  const store = { ...real, inbox: { ...real.inbox, accept } } as never
  const options = { ...common, logger, store, queue: localQueue(), fallback: () => {}, telemetry }
  const receiver = createReceiver(options)
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(logger.written.join()).toContain('disk full')
  expect(logger.written.join()).not.toContain('telemetry storing')
  await real.close()
})

it('unfixable data that the store cannot mark dead is told with the cause', async () => {
  const { told, telemetry } = recorder()
  const cause = new Error('disk full')
  const real = sqliteStore(newFile())
  const markDead = () => Promise.reject(cause)
  const store = { ...real, inbox: { ...real.inbox, markDead } } as never
  let worker: Worker | undefined
  const queue: Queue = {
    guarantee: '',
    async consume(given) {
      worker = given
      return async () => {}
    },
  }
  const receiver = createReceiver({ ...common, store, queue, fallback: () => {}, telemetry })
  await receiver.start()
  await receiver.receive(await delivery({ ...settled, data: { transferId: 7 } }))
  const [stored] = await receiver.list()
  const job = { key: stored?.key as string, type: settled.type, endpoint: 'default', generation: 0 }
  await worker?.run(job).catch(() => {})
  expect(told.ran).toMatchObject([{ result: { code: 'store_unavailable', cause } }])
  await real.close()
})

it.each(['storing', 'running'] as const)('an async within of %s that fails harms nothing', async (name) => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const observation = {
    async within(work: () => unknown) {
      await work()
      throw new Error('the exporter is down')
    },
  }
  const warn = vi.fn()
  const ran = vi.fn()
  const receiver = createReceiver({
    ...common,
    logger: { info() {}, warn, error: warn },
    store: sqliteStore(newFile()),
    queue: localQueue(),
    fallback: ran,
    telemetry: { [name]: () => observation } as never,
  })
  await receiver.start()
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
  await vi.waitFor(() => expect(warn.mock.calls.join()).toContain('the exporter is down'), patiently)
  await vi.waitFor(() => expect(ran).toHaveBeenCalledTimes(1), patiently)
  await receiver.stop()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})
