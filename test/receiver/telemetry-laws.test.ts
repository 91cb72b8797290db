import { afterAll, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import type { Observation, RunReport, Storing, Telemetry } from '../../src/telemetry/telemetry.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'

afterAll(removeFiles)

const patiently = { timeout: 15_000, interval: 20 }
const common = { secret, now: clock, logger: false, fallback: () => {} } as const

/** Answers each look-up of a header, and notes its name. */
async function noting(body = settled) {
  const request = await delivery(body)
  const asked: string[] = []
  const headers = (name: string) => {
    asked.push(name)
    return (request.headers as Record<string, string>)[name]
  }
  return { asked, request: { ...request, headers } }
}

it('nothing is gathered for a method that is absent', async () => {
  const telemetry: Telemetry = {
    died() {},
    get delivered() {
      return undefined as never
    },
  }
  const receiver = createReceiver({ ...common, store: memoryStore(), telemetry })
  const { asked, request } = await noting()
  expect(await receiver.receive(request)).toMatchObject({ outcome: 'processed' })
  expect(asked).not.toContain('traceparent')
})

it('a getter turns a method on and off', async () => {
  const delivered = vi.fn()
  let isOn = false
  const telemetry = {
    get delivered() {
      return isOn ? delivered : undefined
    },
  } as Telemetry
  const receiver = createReceiver({ ...common, store: memoryStore(), telemetry })
  for (const [id, on] of [
    ['evt_1', false],
    ['evt_2', true],
    ['evt_3', false],
  ] as const) {
    isOn = on
    await receiver.receive(await delivery({ ...settled, id }))
  }
  expect(delivered.mock.calls.map(([{ result }]) => result.eventId)).toEqual(['evt_2'])
})

it('the sender’s traceparent is read for a run', async () => {
  const receiver = createReceiver({
    ...common,
    store: memoryStore(),
    telemetry: { running: () => undefined },
  })
  const { asked, request } = await noting()
  await receiver.receive(request)
  expect(asked.filter((name) => name === 'traceparent')).toHaveLength(1)
})

/** As a user writes it who prefers classes. */
class Watched implements Storing, Observation<RunReport> {
  readonly ended: unknown[] = []
  #context: string
  constructor(context: string) {
    this.#context = context
  }
  get traceContext() {
    return this.#context
  }
  within<T>(work: () => T): T {
    this.ended.push('within')
    return work()
  }
  end(report: unknown) {
    this.ended.push(report)
  }
}

it('an observation may be an object of a class', async () => {
  const watched = new Watched('context')
  const store = sqliteStore(newFile())
  const telemetry = { storing: () => watched } as Telemetry
  const receiver = createReceiver({ ...common, store, queue: localQueue(), telemetry })
  await receiver.start({ consume: false })
  await receiver.receive(await delivery())
  expect(await receiver.inspect('evt_1')).toMatchObject({ traceContext: 'context' })
  expect(watched.ended).toEqual(['within', { state: 'accepted' }])
  await receiver.stop()
})

it('a trace context that is too long or no text is not stored', async () => {
  const store = sqliteStore(newFile())
  let traceContext: unknown
  const telemetry = { storing: () => ({ traceContext }) } as Telemetry
  const receiver = createReceiver({ ...common, store, queue: localQueue(), telemetry })
  await receiver.start({ consume: false })
  for (const [i, [given, kept]] of [
    ['x'.repeat(512), true],
    ['x'.repeat(513), false],
    [7, false],
    [{}, false],
  ].entries()) {
    traceContext = given
    await receiver.receive(await delivery({ ...settled, id: `evt_${i}` }))
    const { traceContext: stored } = (await receiver.inspect(`evt_${i}`)) ?? {}
    expect(stored).toBe(kept ? given : undefined)
  }
  await receiver.stop()
})

it('an observation whose members throw is none, and its work runs once', async () => {
  for (const member of ['within', 'end', 'traceContext']) {
    const logger = lines()
    const broken = Object.defineProperty({}, member, {
      enumerable: true,
      get() {
        throw new Error('a getter is broken')
      },
    })
    const run = vi.fn()
    const options = {
      ...common,
      logger,
      fallback: run,
      telemetry: { running: () => broken, storing: () => broken },
    }
    const receiver = createReceiver({ ...options, store: memoryStore() } as never)
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    expect(run).toHaveBeenCalledTimes(1)
    expect(logger.written.filter((line) => line.includes('telemetry running threw'))).toHaveLength(1)
  }
})

it('a store that throws synchronously is called once, inside within too', async () => {
  const store = sqliteStore(newFile())
  const accept = vi.fn(() => {
    throw new Error('no disk')
  })
  const end = vi.fn()
  const receiver = createReceiver({
    ...common,
    store: { ...store, inbox: { ...store.inbox, accept } } as never,
    queue: localQueue(),
    telemetry: { storing: () => ({ within: (work) => work(), end }) },
  })
  await receiver.start({ consume: false })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
  expect(accept).toHaveBeenCalledTimes(1)
  expect(end.mock.calls).toMatchObject([[{ state: 'failed' }]])
  await receiver.stop()
})

it('methods that reject change no response and leave no rejection unhandled', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const logger = lines()
  const reject = () => Promise.reject(new Error('not today')) as never
  const methods = ['delivered', 'storing', 'running', 'retried', 'died', 'watch', 'traceIds'] as const
  const telemetry: Telemetry = Object.fromEntries(methods.map((name) => [name, reject]))
  const receiver = createReceiver({
    ...common,
    logger,
    store: sqliteStore(newFile()),
    queue: localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.01 } }),
    fallback: () => Promise.reject(new Error('no such account')),
    telemetry,
  })
  await receiver.start()
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
  await vi.waitFor(async () => expect((await receiver.health()).counts.dead).toBe(1), patiently)
  await receiver.stop()
  for (const name of methods) {
    await vi.waitFor(() => {
      expect(logger.written.filter((line) => line.includes(`telemetry ${name} threw`))).toHaveLength(1)
    }, patiently)
  }
  expect(logger.written.join('\n')).not.toContain('trace_id')
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

it('ids of a trace that cannot be read leave the line as it is', async () => {
  const unreadable = {
    get traceId() {
      throw new Error('a getter is broken')
    },
  }
  for (const ids of [unreadable, {}, 'a1', { traceId: 'a1' }, { traceId: 1, spanId: 2 }]) {
    const logger = lines()
    const telemetry = { traceIds: () => ids } as unknown as Telemetry
    const fallback = () => Promise.reject(new Error('no such account'))
    const receiver = createReceiver({ ...common, logger, fallback, store: memoryStore(), telemetry })
    await receiver.receive(await delivery())
    expect(logger.written.at(-1)).toContain('no such account')
    expect(logger.written.at(-1)).not.toContain('trace_id')
  }
})
