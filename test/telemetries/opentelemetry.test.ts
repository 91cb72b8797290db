import { ProxyTracerProvider, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { openTelemetry } from '../../src/telemetries/opentelemetry.js'
import { clock, delivery, secret, settled } from '../receiver/deliver.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { otelRig } from './otel-rig.js'

const rig = otelRig()

afterEach(() => rig.reset())

afterAll(async () => {
  await rig.close()
  removeFiles()
})

const patiently = { timeout: 15_000, interval: 20 }

const common = { secret, now: clock, logger: false } as const

const senderTraceId = '0af7651916cd43dd8448eb211c80319c'

const traceparent = `00-${senderTraceId}-b7ad6b7169203331-01`

/** Receives as a host does whose HTTP server is instrumented. */
const inServerSpan = <T>(work: () => Promise<T>) =>
  rig.tracer.startActiveSpan('POST /webhooks', { kind: SpanKind.SERVER }, async (span) => {
    try {
      return await work()
    } finally {
      span.end()
    }
  })

const named = (name: string) => rig.spans().filter((span) => span.name === name)

describe('spans', () => {
  it('a queue: send under the request, process as a root that links to it, and settle', async () => {
    const active: (string | undefined)[] = []
    const path = newFile()
    const options = { ...common, telemetry: rig.telemetry() }
    const fallback = () => void active.push(trace.getActiveSpan()?.spanContext().spanId)
    const acceptor = createReceiver({ ...options, store: sqliteStore(path), queue: localQueue(), fallback })
    await acceptor.start({ consume: false })
    await inServerSpan(async () => acceptor.receive(await delivery(settled, { headers: { traceparent } })))
    // Another process, as far as the store can tell: nothing but the file is shared.
    const worker = createReceiver({ ...options, store: sqliteStore(path), queue: localQueue(), fallback })
    await worker.start()
    await vi.waitFor(() => expect(named('process default')).toHaveLength(1), patiently)
    await worker.stop()

    const [server] = named('POST /webhooks')
    const [send] = named('send default')
    const [process] = named('process default')
    const [settle] = named('settle default')
    expect(rig.spans()).toHaveLength(4)
    expect(server?.attributes).toMatchObject({
      'webhook_inbox.endpoint': 'default',
      'webhook_inbox.event.type': 'transfer.settled',
      'webhook_inbox.event.id': 'evt_1',
      'webhook_inbox.outcome': 'accepted',
    })
    expect(send?.kind).toBe(SpanKind.PRODUCER)
    expect(send?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId)
    expect(send?.links.map(({ context }) => context.traceId)).toEqual([senderTraceId])
    expect(send?.spanContext().traceId).not.toBe(senderTraceId)

    expect(process?.kind).toBe(SpanKind.CONSUMER)
    expect(process?.parentSpanContext).toBeUndefined()
    expect(process?.spanContext().traceId).not.toBe(send?.spanContext().traceId)
    expect(process?.links.map(({ context }) => [context.traceId, context.spanId])).toEqual([
      [send?.spanContext().traceId, send?.spanContext().spanId],
    ])
    expect(active).toEqual([process?.spanContext().spanId])

    expect(settle?.kind).toBe(SpanKind.CLIENT)
    expect(settle?.parentSpanContext?.spanId).toBe(process?.spanContext().spanId)
    expect(settle?.attributes).toMatchObject({ 'webhook_inbox.outcome': 'processed' })
  })

  it('no queue: process under the request, with a link to the sender', async () => {
    const receiver = createReceiver({
      ...common,
      store: memoryStore(),
      fallback: () => {},
      telemetry: rig.telemetry(),
    })
    await inServerSpan(async () => receiver.receive(await delivery(settled, { headers: { traceparent } })))
    const [server] = named('POST /webhooks')
    const [process] = named('process default')
    expect(process?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId)
    expect(process?.links.map(({ context }) => context.traceId)).toEqual([senderTraceId])
    expect(process?.attributes).toMatchObject({
      'webhook_inbox.attempt': 1,
      'webhook_inbox.source': 'delivery',
    })
  })

  it('without a span of the host, the sender does not become the parent', async () => {
    const receiver = createReceiver({
      ...common,
      store: memoryStore(),
      fallback: () => {},
      telemetry: rig.telemetry(),
    })
    await receiver.receive(await delivery(settled, { headers: { traceparent } }))
    const [process] = named('process default')
    expect(process?.parentSpanContext).toBeUndefined()
    expect(process?.spanContext().traceId).not.toBe(senderTraceId)
    expect(named('POST /webhooks')).toEqual([])
  })

  it('a traceparent that is none is not linked', async () => {
    const receiver = createReceiver({
      ...common,
      store: memoryStore(),
      fallback: () => {},
      telemetry: rig.telemetry(),
    })
    const wrong = [
      '',
      'x',
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `ff${traceparent.slice(2)}`,
      `${traceparent}\n`,
      `${traceparent}-${'a'.repeat(600)}`,
    ]
    for (const [i, text] of wrong.entries()) {
      await receiver.receive(
        await delivery({ ...settled, id: `evt_w${i}` }, { headers: { traceparent: text } }),
      )
    }
    await receiver.receive(
      await delivery(
        { ...settled, id: 'evt_twice' },
        { headers: { traceparent: [traceparent, traceparent] } },
      ),
    )
    expect(named('process default').map(({ links }) => links)).toEqual(Array(wrong.length + 1).fill([]))
  })

  it('a failed run has the code as its error, and nothing of its message', async () => {
    const cause = new Error('card 4111 1111 1111 1111 is unknown')
    const fallback = () => Promise.reject(cause)
    const receiver = createReceiver({ ...common, store: memoryStore(), fallback, telemetry: rig.telemetry() })
    await receiver.receive(await delivery())
    const [process] = named('process default')
    expect(process?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(process?.attributes).toMatchObject({ 'error.type': 'handler_failed' })
    expect(process?.events).toEqual([])
    expect(JSON.stringify(rig.spans().map(({ attributes, status }) => [attributes, status]))).not.toContain(
      '4111',
    )
  })

  it('a store that cannot be reached fails the send', async () => {
    const store = sqliteStore(newFile())
    const broken = { ...store, inbox: { ...store.inbox, accept: () => Promise.reject(new Error('no disk')) } }
    const options = { ...common, queue: localQueue(), fallback: () => {}, telemetry: rig.telemetry() }
    await createReceiver({ ...options, store: broken as never }).receive(await delivery())
    expect(named('send default')[0]?.status.code).toBe(SpanStatusCode.ERROR)
  })

  it('an idle queue makes no span', async () => {
    const options = { ...common, fallback: () => {}, telemetry: rig.telemetry() }
    const store = sqliteStore(newFile())
    const due = vi.spyOn(store.inbox, 'due')
    const receiver = createReceiver({ ...options, store, queue: localQueue({ pollSeconds: 0.02 }) })
    await receiver.start()
    await vi.waitFor(() => expect(due.mock.calls.length).toBeGreaterThan(3), patiently)
    await receiver.stop()
    expect(rig.spans()).toEqual([])
  })

  it('the messaging conventions come by an option or by the environment', async () => {
    async function attributesWith(options: object): Promise<object | undefined> {
      rig.reset()
      const telemetry = rig.telemetry(options)
      await createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry }).receive(
        await delivery(),
      )
      return named('process default')[0]?.attributes
    }
    const standard = {
      'messaging.system': 'webhook_inbox',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'default',
      'messaging.message.id': 'evt_1',
    }
    expect(await attributesWith({ messagingConventions: true })).toMatchObject(standard)
    expect(await attributesWith({})).not.toHaveProperty('messaging.system')
    vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', 'http, messaging')
    expect(await attributesWith({})).toMatchObject(standard)
    expect(await attributesWith({ messagingConventions: false })).not.toHaveProperty('messaging.system')
    vi.unstubAllEnvs()
    expect(() => openTelemetry({ messagingConventions: 'yes' as never })).toThrow(/messagingConventions/)
    expect(() => openTelemetry({ tracer: 1 } as never)).toThrow(/tracer/)
  })
})

it('without a registered SDK nothing is stored beside an event, and nothing fails', async () => {
  const store = sqliteStore(newFile())
  const telemetry = rig.telemetry({ tracerProvider: new ProxyTracerProvider() })
  const receiver = createReceiver({ ...common, store, queue: localQueue(), fallback: () => {}, telemetry })
  await receiver.start({ consume: false })
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
  expect(await receiver.inspect('evt_1')).not.toHaveProperty('traceContext')
})
