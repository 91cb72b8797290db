import { context, INVALID_SPAN_CONTEXT, trace } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { delivery, settled } from '../receiver/deliver.js'
import { common, inServerSpan, named, rig, senderTraceId, traceparent } from './spans-rig.js'

describe('spans', () => {
  it('the traceparent of a later version is linked, up to 512 characters', async () => {
    const options = { ...common, store: memoryStore(), fallback: () => {}, telemetry: rig.telemetry() }
    const receiver = createReceiver(options)
    const later = `01${traceparent.slice(2)}-more`
    for (const [i, text] of [later, later.padEnd(512, 'x')].entries()) {
      await receiver.receive(
        await delivery({ ...settled, id: `evt_v${i}` }, { headers: { traceparent: text } }),
      )
    }
    const traces = named('process default').map(({ links }) => links.map(({ context }) => context.traceId))
    expect(traces).toEqual([[senderTraceId], [senderTraceId]])
  })

  it('the ids of a trace are those of the active span, if it has valid ones', () => {
    const { traceIds } = rig.telemetry()
    expect(traceIds?.()).toBeUndefined()
    const active = (id: typeof INVALID_SPAN_CONTEXT) =>
      context.with(trace.setSpan(context.active(), trace.wrapSpanContext(id)), () => traceIds?.())
    expect(active(INVALID_SPAN_CONTEXT)).toBeUndefined()
    const ids = { traceId: senderTraceId, spanId: 'b7ad6b7169203331' }
    expect(active({ ...ids, traceFlags: 1 })).toEqual(ids)
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
      `00${traceparent}`,
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
})
