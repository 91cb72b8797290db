import { ProxyTracerProvider, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { describe, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { openTelemetry } from '../../src/telemetries/opentelemetry.js'
import { delivery, settled } from '../receiver/deliver.js'
import { newFile } from '../stores/sqlite-files.js'
import { common, inServerSpan, named, patiently, rig, senderTraceId, traceparent } from './spans-rig.js'

describe('spans', () => {
  it('a queue: send under the request, process as a root that links to it, and settle', async () => {
    const active: (string | undefined)[] = []
    const path = newFile()
    const options = { ...common, telemetry: rig.telemetry({ messagingConventions: true }) }
    const fallback = () => void active.push(trace.getActiveSpan()?.spanContext().spanId)
    const store = sqliteStore(path)
    const writing: (string | undefined)[] = []
    const inbox: typeof store.inbox = {
      ...store.inbox,
      accept(...args) {
        writing.push(trace.getActiveSpan()?.spanContext().spanId)
        return store.inbox.accept(...args)
      },
    }
    const acceptor = createReceiver({ ...options, store: { ...store, inbox }, queue: localQueue(), fallback })
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
    expect(send?.links[0]?.context.isRemote).toBe(true)
    expect(send?.spanContext().traceId).not.toBe(senderTraceId)
    expect(send?.attributes).toMatchObject({
      'messaging.operation.name': 'send',
      'webhook_inbox.outcome': 'accepted',
    })
    expect(writing).toEqual([send?.spanContext().spanId])
    for (const span of rig.spans()) {
      expect(span.status.code, span.name).toBe(SpanStatusCode.UNSET)
      expect(span.attributes, span.name).not.toHaveProperty('error.type')
      expect(span.attributes, span.name).not.toHaveProperty('webhook_inbox.code')
    }
    expect(send?.instrumentationScope.name).toBe('webhook-inbox')

    expect(process?.kind).toBe(SpanKind.CONSUMER)
    expect(process?.parentSpanContext).toBeUndefined()
    expect(process?.spanContext().traceId).not.toBe(send?.spanContext().traceId)
    expect(process?.links.map(({ context }) => [context.traceId, context.spanId])).toEqual([
      [send?.spanContext().traceId, send?.spanContext().spanId],
    ])
    expect(active).toEqual([process?.spanContext().spanId])

    expect(settle?.kind).toBe(SpanKind.CLIENT)
    expect(settle?.parentSpanContext?.spanId).toBe(process?.spanContext().spanId)
    expect(settle?.attributes).toMatchObject({
      'messaging.operation.name': 'settle',
      'webhook_inbox.outcome': 'processed',
    })
  })

  it('settle lasts as long as the store takes to mark the event done', async () => {
    const real = memoryStore()
    const store: typeof real = {
      ...real,
      async once(...args) {
        const result = await real.once(...args)
        await new Promise((resolve) => setTimeout(resolve, 60))
        return result
      },
    }
    const options = { ...common, store, fallback: () => {}, telemetry: rig.telemetry() }
    await createReceiver(options).receive(await delivery())
    const [seconds = 0, nanoseconds = 0] = named('settle default')[0]?.duration ?? []
    expect(seconds + nanoseconds / 1e9).toBeGreaterThan(0.05)
  })

  it('rejected data is an error of its run, and a claim that another process has is none', async () => {
    const real = memoryStore()
    const lost = { ...real, once: async () => ({ state: 'lost' }) as const }
    const options = { ...common, fallback: () => {}, telemetry: rig.telemetry() }
    const wrong = { ...settled, id: 'evt_wrong', data: {} }
    expect(await createReceiver({ ...options, store: real }).receive(await delivery(wrong))).toMatchObject({
      outcome: 'rejected',
      code: 'invalid_data',
    })
    expect(await createReceiver({ ...options, store: lost }).receive(await delivery())).toMatchObject({
      outcome: 'in_progress',
    })
    const errors = named('process default').map(({ attributes, status }) => [
      attributes['error.type'],
      status.code,
    ])
    expect(errors).toEqual([
      ['invalid_data', SpanStatusCode.ERROR],
      [undefined, SpanStatusCode.UNSET],
    ])
  })

  it('a handler that does not end in time has no settle', async () => {
    const options = { ...common, store: memoryStore(), telemetry: rig.telemetry() }
    const fallback = () => new Promise<void>(() => {})
    const receiver = createReceiver({ ...options, handlerTimeoutSeconds: 0.05, fallback })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
    expect(rig.spans().map(({ name }) => name)).toEqual(['process default'])
  })

  it('a failed run has the code as its error, and nothing of its message', async () => {
    const cause = new Error('card 4111 1111 1111 1111 is unknown')
    const fallback = () => Promise.reject(cause)
    const receiver = createReceiver({ ...common, store: memoryStore(), fallback, telemetry: rig.telemetry() })
    await receiver.receive(await delivery())
    const [process] = named('process default')
    expect(process?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(process?.attributes).toMatchObject({
      'error.type': 'handler_failed',
      'webhook_inbox.code': 'handler_failed',
      'webhook_inbox.outcome': 'failed',
    })
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
    expect(named('send default')[0]?.attributes).toMatchObject({
      'error.type': 'store_unavailable',
      'webhook_inbox.outcome': 'failed',
    })
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
    for (const others of [undefined, '', 'http', 'nomessaging', 'messaging/other']) {
      vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', others)
      expect(Object.keys((await attributesWith({})) ?? {}).join()).not.toContain('messaging')
    }
    vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', 'http, messaging')
    expect(await attributesWith({})).toMatchObject(standard)
    expect(await attributesWith({ messagingConventions: false })).not.toHaveProperty('messaging.system')
    vi.unstubAllEnvs()
    expect(() => openTelemetry({ messagingConventions: 'yes' as never })).toThrow(/messagingConventions/)
    expect(() => openTelemetry({ tracer: 1 } as never)).toThrow('tracer is not an option of openTelemetry')
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
