import { type SpanContext, trace } from '@opentelemetry/api'
import { ParentBasedSampler, SamplingDecision } from '@opentelemetry/sdk-trace-node'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { clock, delivery, secret, settled } from '../receiver/deliver.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { otelRig } from './otel-rig.js'

/** The spans that are not sampled, by the begin of their name. */
let dropped: string[] = []
const root = {
  shouldSample: (_context: unknown, _traceId: string, name: string) => ({
    decision: dropped.some((each) => name.startsWith(each))
      ? SamplingDecision.NOT_RECORD
      : SamplingDecision.RECORD_AND_SAMPLED,
  }),
}
/** Asks for each span, and not only for the first of a trace. */
const rig = otelRig({
  sampler: {
    shouldSample: (...given) =>
      (isParentBased ? new ParentBasedSampler({ root }) : root).shouldSample(...given),
  },
})
let isParentBased = true
afterEach(() => {
  rig.reset()
  dropped = []
  isParentBased = true
})
afterAll(async () => {
  await rig.close()
  removeFiles()
})

const patiently = { timeout: 15_000, interval: 20 }
const common = { secret, now: clock, logger: false } as const
const names = () => rig.spans().map(({ name }) => name)

/** A handler that makes a span of its own, as an instrumented database client does. */
function tracingHandler() {
  const seen: (SpanContext | undefined)[] = []
  const fallback = () => {
    seen.push(trace.getActiveSpan()?.spanContext())
    rig.tracer.startSpan('SELECT').end()
  }
  return { seen, fallback }
}

/** How many runs the metrics count. Each run counts, whether its span is sampled or not. */
async function runsCounted(): Promise<number> {
  const points = (await rig.points('default'))['webhook_inbox.run.duration'] ?? []
  return points.reduce((sum, { value }) => sum + (value as { count: number }).count, 0)
}

it('the handler of a run from a queue knows that its trace is not sampled', async () => {
  dropped = ['process']
  const { seen, fallback } = tracingHandler()
  const options = { ...common, fallback, telemetry: rig.telemetry() }
  const receiver = createReceiver({ ...options, store: sqliteStore(newFile()), queue: localQueue() })
  await receiver.start()
  await receiver.receive(await delivery())
  await vi.waitFor(() => expect(seen).toHaveLength(1), patiently)
  await receiver.stop()
  expect(seen[0]?.traceFlags).toBe(0)
  expect(await runsCounted()).toBe(1)
  // Neither the span of the handler nor settle.
  expect(names()).toEqual(['send default'])
})

it('a span that is dropped under a sampled request is not replaced by the request', async () => {
  dropped = ['process']
  isParentBased = false
  const { seen, fallback } = tracingHandler()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback, telemetry: rig.telemetry() })
  await rig.tracer.startActiveSpan('POST', async (span) => {
    await receiver.receive(await delivery())
    span.end()
  })
  expect(seen[0]?.traceFlags).toBe(0)
  expect(names()).toEqual(['SELECT', 'POST'])
})

it('work under a request that is not sampled has the context of the request', async () => {
  dropped = ['POST']
  const before = await runsCounted()
  const { seen, fallback } = tracingHandler()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback, telemetry: rig.telemetry() })
  const host = await rig.tracer.startActiveSpan('POST', async (span) => {
    await receiver.receive(await delivery())
    return span.spanContext()
  })
  expect(seen).toEqual([host])
  expect(names()).toEqual([])
  expect(await runsCounted()).toBe(before + 1)
})

it('the write of an event under a request that is not sampled has the context of the request', async () => {
  dropped = ['POST']
  const store = sqliteStore(newFile())
  const seen: (SpanContext | undefined)[] = []
  const inbox: typeof store.inbox = {
    ...store.inbox,
    accept(...args) {
      seen.push(trace.getActiveSpan()?.spanContext())
      return store.inbox.accept(...args)
    },
  }
  const options = { ...common, fallback: () => {}, telemetry: rig.telemetry() }
  const receiver = createReceiver({ ...options, store: { ...store, inbox }, queue: localQueue() })
  const host = await rig.tracer.startActiveSpan('POST', async (span) => {
    await receiver.receive(await delivery())
    return span.spanContext()
  })
  expect(seen).toEqual([host])
})

it('the context of a send that is not sampled is kept too, for the ids in a log', async () => {
  dropped = ['send']
  const receiver = createReceiver({
    ...common,
    store: sqliteStore(newFile()),
    queue: localQueue(),
    fallback: () => {},
    telemetry: rig.telemetry(),
  })
  await receiver.start({ consume: false })
  await receiver.receive(await delivery(settled))
  expect(await receiver.inspect('evt_1')).toMatchObject({
    traceContext: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
  })
  await receiver.stop()
})
