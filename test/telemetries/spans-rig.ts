import { SpanKind } from '@opentelemetry/api'
import { afterAll, afterEach } from 'vitest'
import { clock, secret } from '../receiver/deliver.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { otelRig } from './otel-rig.js'

/** The spans that a test makes, and a sender and a host with a trace of their own. */

export const rig = otelRig()

afterEach(() => rig.reset())

afterAll(async () => {
  await rig.close()
  removeFiles()
})

export const patiently = { timeout: 15_000, interval: 20 }

export const common = { secret, now: clock, logger: false } as const

export const senderTraceId = '0af7651916cd43dd8448eb211c80319c'

export const traceparent = `00-${senderTraceId}-b7ad6b7169203331-01`

/** Receives as a host does whose HTTP server is instrumented. */
export const inServerSpan = <T>(work: () => Promise<T>) =>
  rig.tracer.startActiveSpan('POST /webhooks', { kind: SpanKind.SERVER }, async (span) => {
    try {
      return await work()
    } finally {
      span.end()
    }
  })

export const named = (name: string) => rig.spans().filter((span) => span.name === name)
