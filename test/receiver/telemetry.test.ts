import { afterAll, expect, it, vi } from 'vitest'
import type { Queue, Worker } from '../../src/queue/queue.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import type { Telemetry } from '../../src/telemetry/telemetry.js'
import { watchRetries } from '../../src/telemetry/watch-retries.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, now, secret, settled } from './deliver.js'

afterAll(removeFiles)

const patiently = { timeout: 15_000, interval: 20 }
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

type Told = Record<'delivered' | 'storing' | 'stored' | 'running' | 'ran' | 'retried' | 'died', never[]>

/** A telemetry that records what it is told. */
function recorder(over: Telemetry = {}) {
  const told: Told = { delivered: [], storing: [], stored: [], running: [], ran: [], retried: [], died: [] }
  const telemetry: Telemetry = {
    delivered: (report) => void told.delivered.push(report as never),
    storing(event) {
      told.storing.push(event as never)
      return {
        traceContext: `context of ${event.event.id}`,
        end: (report) => void told.stored.push(report as never),
      }
    },
    running(event) {
      told.running.push(event as never)
      return { end: (report) => void told.ran.push(report as never) }
    },
    retried: (report) => void told.retried.push(report as never),
    died: (report) => void told.died.push(report as never),
    ...over,
  }
  return { told, telemetry }
}

const common = { secret, now: clock, logger: false } as const

it('a run before the response is told with its attempt and its times', async () => {
  const { told, telemetry } = recorder()
  const handler = () => new Promise((resolve) => setTimeout(resolve, 30))
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: handler, telemetry })
  const skewed = await delivery(settled, { timestamp: now - 7, headers: { traceparent } })
  const result = await receiver.receive(skewed)

  const about = { endpoint: 'default', type: 'transfer.settled' }
  expect(told.running).toMatchObject([
    { ...about, source: 'delivery', senderTrace: traceparent, traceContext: undefined },
  ])
  expect(told.ran).toMatchObject([{ result: { outcome: 'processed' }, attempt: 1, isClaimLost: false }])
  const [run] = told.ran as unknown as { handlerSeconds: number; settleSeconds: number; seconds: number }[]
  expect(run?.handlerSeconds).toBeGreaterThan(0.02)
  expect(run?.settleSeconds).toBeGreaterThanOrEqual(0)
  expect(run?.seconds).toBeGreaterThanOrEqual((run?.handlerSeconds ?? 9) + (run?.settleSeconds ?? 9))
  expect(told.delivered).toMatchObject([{ ...about, clockSkewSeconds: 7 }])
  expect((told.delivered as { result: unknown }[])[0]?.result).toBe(result)
  expect(result).toMatchObject({ signedAt: now - 7 })
})

it('an absurd createdAt is no lag', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  for (const [id, createdAt] of [
    ['evt_1', '0001-01-01T00:00:00Z'],
    ['evt_2', new Date(Date.now() - 60_000).toISOString()],
  ]) {
    await receiver.receive(await delivery({ ...settled, id: id as string, createdAt: createdAt as string }))
  }
  const [absurd, usual] = told.delivered as unknown as { lagSeconds?: number }[]
  expect(absurd?.lagSeconds).toBeUndefined()
  expect(usual?.lagSeconds).toBeGreaterThan(59)
})

it('a duplicate is a run without a handler', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  await receiver.receive(await delivery())
  await receiver.receive(await delivery())
  const [, second] = told.ran as unknown as { result: { outcome: string }; attempt?: number }[]
  expect(second).toMatchObject({ result: { outcome: 'duplicate' } })
  expect(second?.attempt).toBeUndefined()
  expect(second).toMatchObject({ handlerSeconds: undefined, lagSeconds: undefined })
})

it('a rejected delivery has no type, and a clock skew only where the signature holds', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  await receiver.receive(await delivery(settled, { timestamp: now - 4000 }))
  await receiver.receive(await delivery(settled, { secret: 'whsec_another_secret' }))
  expect(told.delivered).toMatchObject([
    { result: { code: 'timestamp_out_of_tolerance' }, type: undefined, clockSkewSeconds: 4000 },
    { result: { code: 'signature_mismatch' }, type: undefined, clockSkewSeconds: undefined },
  ])
  expect(told.running).toEqual([])
})

it('what telemetry keeps beside an event is what the run of a queue finds', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({
    ...common,
    store: sqliteStore(newFile()),
    queue: localQueue(),
    fallback: () => {},
    telemetry,
  })
  await receiver.start()
  await receiver.receive(await delivery(settled, { headers: { traceparent } }))
  await vi.waitFor(() => expect(told.ran).toHaveLength(1), patiently)
  await receiver.receive(await delivery(settled))
  await receiver.stop()

  expect(told.storing).toMatchObject([{ senderTrace: traceparent }, { senderTrace: undefined }])
  expect(told.stored).toEqual([{ state: 'accepted' }, { state: 'duplicate' }])
  expect(told.running).toMatchObject([
    { source: 'queue', traceContext: 'context of evt_1', senderTrace: undefined },
  ])
  expect(told.ran).toMatchObject([{ result: { outcome: 'processed', source: 'queue' } }])
  expect((told.ran as { lagSeconds: number }[])[0]?.lagSeconds).toBeGreaterThan(0)
  expect(told.delivered).toHaveLength(2)
})

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
      place: expect.stringContaining('telemetry.test.ts'),
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

it('types without a handler share a label once there are a hundred', async () => {
  const { told, telemetry } = recorder()
  const handlers = { 'known.last': () => {} }
  const receiver = createReceiver<{ 'known.last': unknown }>({
    ...common,
    store: memoryStore(),
    handlers,
    telemetry,
  })
  for (let i = 0; i < 105; i++) {
    await receiver.receive(await delivery({ ...settled, id: `evt_${i}`, type: `made.up.${i}` }))
  }
  await receiver.receive(await delivery({ ...settled, id: 'evt_known', type: 'known.last' }))
  await receiver.receive(await delivery({ ...settled, id: 'evt_again', type: 'made.up.3' }))
  const types = (told.delivered as { type: string }[]).map(({ type }) => type)
  expect(new Set(types).size).toBe(102)
  expect(types.slice(-3)).toEqual(['_OTHER', 'known.last', 'made.up.3'])
})

it('nothing that a telemetry throws or returns changes a response, and the first error of a method is logged', async () => {
  const fail = () => {
    throw new Error('the tracer is broken')
  }
  const logger = lines()
  const run = vi.fn()
  const telemetry = {
    delivered: fail,
    running: () => ({ within: fail, end: () => Promise.reject(new Error('later')) }),
    traceIds: fail,
  } as unknown as Telemetry
  const receiver = createReceiver({ ...common, logger, store: memoryStore(), fallback: run, telemetry })
  for (const id of ['evt_a', 'evt_b']) {
    expect(await receiver.receive(await delivery({ ...settled, id }))).toMatchObject({ outcome: 'processed' })
  }
  await vi.waitFor(() => expect(logger.written.some((line) => line.includes('later'))).toBe(true), patiently)
  expect(run).toHaveBeenCalledTimes(2)
  for (const method of ['delivered', 'running.within', 'running.end']) {
    expect(logger.written.filter((line) => line.includes(`telemetry ${method} threw`))).toHaveLength(1)
  }
})

it('work that telemetry calls twice or not at all still runs once', async () => {
  for (const within of [(work: () => unknown) => [work(), work()], () => undefined]) {
    const run = vi.fn()
    const telemetry = { running: () => ({ within }) } as unknown as Telemetry
    const receiver = createReceiver({ ...common, store: memoryStore(), fallback: run, telemetry })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    expect(run).toHaveBeenCalledTimes(1)
  }
})

it('start() offers the figures of the inbox, and stop() takes them back', async () => {
  const end = vi.fn()
  const watch = vi.fn<NonNullable<Telemetry['watch']>>(() => end)
  const options = { ...common, fallback: () => {}, telemetry: { watch } }
  const receiver = createReceiver({ ...options, store: sqliteStore(newFile()), queue: localQueue() })
  await receiver.start()
  await receiver.start()
  expect(watch).toHaveBeenCalledTimes(1)
  expect(await watch.mock.calls[0]?.[0]()).toMatchObject({ counts: { dead: 0 }, oldestUnprocessedSeconds: 0 })
  await receiver.stop()
  expect(end).toHaveBeenCalledTimes(1)

  await createReceiver({ ...options, store: memoryStore() }).start()
  expect(watch).toHaveBeenCalledTimes(1)
})

it('a type without a handler that is longer than a hundred characters shares the label', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  for (const length of [100, 101]) {
    await receiver.receive(await delivery({ ...settled, id: `evt_${length}`, type: 'x'.repeat(length) }))
  }
  expect(told.delivered).toMatchObject([{ type: 'x'.repeat(100) }, { type: '_OTHER' }])
})

it('an event from the future has a lag of zero', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  const createdAt = new Date(Date.now() + 60_000).toISOString()
  await receiver.receive(await delivery({ ...settled, createdAt }))
  expect(told.delivered).toMatchObject([{ lagSeconds: 0 }])
  expect(told.ran).toMatchObject([{ lagSeconds: 0 }])
})

it('a context is kept if it is text of at most 512 characters', async () => {
  const run = vi.fn()
  for (const given of ['x'.repeat(512), 'x'.repeat(513), 7]) {
    const store = sqliteStore(newFile())
    const telemetry = {
      storing: () => ({ traceContext: given }),
      running: ({ traceContext }: { traceContext?: string }) => void run(traceContext),
    } as unknown as Telemetry
    const receiver = createReceiver({ ...common, store, queue: localQueue(), fallback: () => {}, telemetry })
    await receiver.receive(await delivery())
    const calls = run.mock.calls.length
    await receiver.start()
    await vi.waitFor(() => expect(run.mock.calls.length).toBeGreaterThan(calls), patiently)
    await receiver.stop()
  }
  expect(run.mock.calls).toEqual([['x'.repeat(512)], [undefined], [undefined]])
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

it('a lag ends where the delivery began', async () => {
  const { told, telemetry } = recorder()
  const handler = () => new Promise((resolve) => setTimeout(resolve, 30))
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: handler, telemetry })
  const sent = Date.now() - 60_000
  await receiver.receive(await delivery({ ...settled, createdAt: new Date(sent).toISOString() }))
  const [{ lagSeconds, seconds }] = told.delivered as unknown as [{ lagSeconds: number; seconds: number }]
  expect(lagSeconds + seconds).toBeLessThanOrEqual((Date.now() - sent) / 1000 + 0.01)
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

it('a handler that is still running is told with its time so far', async () => {
  const { told, telemetry } = recorder()
  const options = { ...common, store: memoryStore(), handlerTimeoutSeconds: 0.05, telemetry }
  const receiver = createReceiver({ ...options, fallback: () => new Promise(() => {}) })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
  const [run] = told.ran as unknown as { handlerSeconds: number; settleSeconds?: number }[]
  expect(run?.handlerSeconds).toBeGreaterThan(0.04)
  expect(run?.settleSeconds).toBeUndefined()
})

it('a trace that was sent twice is no trace', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  await receiver.receive(await delivery(settled, { headers: { traceparent: [traceparent, traceparent] } }))
  expect(told.running).toMatchObject([{ senderTrace: undefined }])
})

it('storing() alone gets the trace of the sender', async () => {
  const storing = vi.fn()
  const options = { ...common, store: sqliteStore(newFile()), queue: localQueue(), fallback: () => {} }
  const receiver = createReceiver({ ...options, telemetry: { storing } })
  await receiver.receive(await delivery(settled, { headers: { traceparent } }))
  expect(storing.mock.calls).toMatchObject([[{ senderTrace: traceparent }]])
})

it.each<[string, object]>([
  ['without any method', {}],
  ['whose methods return nothing', { storing: () => undefined, running: () => null, watch: () => undefined }],
  ['whose methods return a number', { storing: () => 7, running: () => 7 }],
  ['whose methods return an empty object', { storing: () => ({}), running: () => ({}) }],
])('a telemetry %s changes nothing, and logs nothing', async (_, telemetry) => {
  const logger = lines()
  const store = sqliteStore(newFile())
  const run = vi.fn(() => Promise.reject(new Error('no')))
  const queue = localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.01 } })
  const receiver = createReceiver({ ...common, logger, store, queue, fallback: run, telemetry })
  await receiver.start()
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
  const isDead = async () => expect(await receiver.inspect('evt_1')).toMatchObject({ state: 'dead' })
  await vi.waitFor(isDead, patiently)
  await receiver.stop()
  expect(run).toHaveBeenCalledTimes(2)
  expect(logger.written.filter((line) => /telemetry \S+ threw/.test(line))).toEqual([])
})

it('an error of watch() is logged, and one of the function that it returns', async () => {
  const fail = () => {
    throw new Error('no room')
  }
  for (const watch of [fail, () => fail]) {
    const logger = lines()
    const options = { ...common, logger, store: sqliteStore(newFile()), queue: localQueue() }
    const receiver = createReceiver({ ...options, fallback: () => {}, telemetry: { watch } })
    await receiver.start()
    await receiver.stop()
    expect(logger.written.filter((line) => line.includes('telemetry watch threw'))).toHaveLength(1)
  }
})

it('an inbox with private fields works behind the watch for retries', async () => {
  class Inbox {
    #postponed = 0
    readonly name = 'private'
    async postpone() {
      this.#postponed++
    }
    postponed() {
      return this.#postponed
    }
  }
  const tell = vi.fn()
  const watched = watchRetries(new Inbox() as never, tell) as unknown as Inbox
  await (watched.postpone as (key: string, pause: number) => Promise<void>)('key', 3)
  expect(tell.mock.calls).toEqual([[3]])
  expect([watched.name, watched.postponed()]).toEqual(['private', 1])
})

it('ids that are no text are not put on a line', async () => {
  for (const ids of [{ traceId: 'a1', spanId: 7 }, { traceId: 7, spanId: 'c2' }, {}, undefined]) {
    const logger = lines()
    const telemetry = { traceIds: () => ids } as unknown as Telemetry
    const fallback = () => Promise.reject(new Error('no'))
    await createReceiver({ ...common, logger, store: memoryStore(), fallback, telemetry }).receive(
      await delivery(),
    )
    expect(logger.written.at(-1)).not.toMatch(/trace_id|traceIds threw/)
  }
})

it('ids that cannot be read are an error of the telemetry', async () => {
  const logger = lines()
  const telemetry = { traceIds: () => null } as unknown as Telemetry
  const fallback = () => Promise.reject(new Error('no'))
  const receiver = createReceiver({ ...common, logger, store: memoryStore(), fallback, telemetry })
  await receiver.receive(await delivery())
  expect(logger.written.some((line) => line.includes('telemetry traceIds threw'))).toBe(true)
})

it('a line ends with the ids of the active trace', async () => {
  const logger = lines()
  const telemetry: Telemetry = { traceIds: () => ({ traceId: 'a1\nb', spanId: 'c2' }) }
  const receiver = createReceiver({
    ...common,
    logger,
    store: memoryStore(),
    fallback: () => Promise.reject(new Error('x'.repeat(9000))),
    telemetry,
  })
  await receiver.receive(await delivery())
  expect(logger.written.at(-1)).toMatch(/^error .* trace_id=a1.b span_id=c2$/)
})

it('a telemetry that is no object is rejected', () => {
  for (const telemetry of [7, 'on', null]) {
    const options = { ...common, store: memoryStore(), fallback: () => {}, telemetry: telemetry as never }
    expect(() => createReceiver(options)).toThrow(/telemetry must be a telemetry/)
  }
})
