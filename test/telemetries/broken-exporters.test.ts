import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type Sampler,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { openTelemetry } from '../../src/telemetries/opentelemetry.js'
import { start } from '../examples/program.js'
import { clock, delivery, lines, secret, settled } from '../receiver/deliver.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { otelRig } from './otel-rig.js'

afterAll(removeFiles)

/** What would end a process. */
let unhandled: unknown[] = []
const note = (error: unknown) => void unhandled.push(error)
beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
})
afterEach(() => {
  process.off('unhandledRejection', note)
  process.off('uncaughtException', note)
})

const common = { secret, now: clock, fallback: () => {} } as const
const fail = () => {
  throw new Error('the exporter is broken')
}
const reject = () => Promise.reject(new Error('the exporter is broken'))

const processor = (over: Partial<SpanProcessor>): SpanProcessor => ({
  onStart() {},
  onEnd() {},
  forceFlush: async () => {},
  shutdown: async () => {},
  ...over,
})
const broken: [what: string, provider: () => NodeTracerProvider][] = [
  [
    'a processor that throws at the start',
    () => new NodeTracerProvider({ spanProcessors: [processor({ onStart: fail })] }),
  ],
  [
    'a processor that throws at the end',
    () => new NodeTracerProvider({ spanProcessors: [processor({ onEnd: fail })] }),
  ],
  [
    'an exporter that throws',
    () => {
      const exporter = { export: fail, shutdown: reject, forceFlush: reject }
      const spanProcessors = [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1 })]
      return new NodeTracerProvider({ spanProcessors })
    },
  ],
  ['a sampler that throws', () => new NodeTracerProvider({ sampler: { shouldSample: fail } as Sampler })],
]

it.each(broken)('%s changes no response', async (_, provider) => {
  const logger = lines()
  const telemetry = openTelemetry({ tracerProvider: provider() })
  const inline = createReceiver({ ...common, logger, store: memoryStore(), telemetry })
  const queued = createReceiver({
    ...common,
    logger,
    store: sqliteStore(newFile()),
    queue: localQueue(),
    telemetry,
  })
  await queued.start({ consume: false })
  for (const id of ['evt_a', 'evt_b']) {
    const request = await delivery({ ...settled, id })
    expect(await inline.receive(request)).toMatchObject({ outcome: 'processed' })
    expect(await inline.receive(request)).toMatchObject({ outcome: 'duplicate' })
    expect(await queued.receive(request)).toMatchObject({ outcome: 'accepted' })
  }
  await queued.stop()
  // The exporter has its turn.
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(unhandled).toEqual([])
})

it('metrics that cannot be exported change no response', async () => {
  const exporter = { export: fail, forceFlush: reject, shutdown: async () => {} }
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: 5,
    exportTimeoutMillis: 4,
  })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const receiver = createReceiver({
    ...common,
    logger: false,
    store: memoryStore(),
    telemetry: openTelemetry({ meterProvider }),
  })
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(await receiver.receive(await delivery({ ...settled, id: `evt_${i}` }))).toMatchObject({
      status: 200,
    })
  }
  await meterProvider.shutdown().catch(() => {})
  expect(unhandled).toEqual([])
})

it('an inbox that cannot be read leaves out its gauges and no other metric', async () => {
  const rig = otelRig()
  const store = sqliteStore(newFile())
  const health = () => Promise.reject(new Error('no disk'))
  const receiver = createReceiver({
    ...common,
    logger: false,
    store: { ...store, inbox: { ...store.inbox, health } } as never,
    queue: localQueue(),
    telemetry: rig.telemetry(),
  })
  await receiver.start({ consume: false })
  await receiver.receive(await delivery())
  const points = await rig.points('default').catch(() => rig.points('default'))
  await receiver.stop()
  await rig.close()
  expect(points['webhook_inbox.deliveries']).toMatchObject([{ value: 1 }])
  expect(points['webhook_inbox.events.pending'] ?? []).toEqual([])
  expect(unhandled).toEqual([])
})

it('a subscriber that throws changes no response, and Node reports it as an uncaught exception', async () => {
  const program = start(process.execPath, ['--import', 'tsx', 'test/telemetries/broken-subscriber.ts'])
  await program.says(/first processed, second processed/)
  await program.says(/uncaught: the subscriber is broken/)
  expect(await program.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' })
})
