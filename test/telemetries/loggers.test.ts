import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { afterAll, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import type { Logger } from '../../src/report/result-log.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, secret, settled } from '../receiver/deliver.js'
import { otelRig } from './otel-rig.js'

const rig = otelRig()
afterAll(() => rig.close())

/** A logger, and what it has written so far. */
interface Tried {
  readonly logger: Logger
  readonly written: () => string
}

function memory() {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      done()
    },
  })
  return { stream, written: () => chunks.join('') }
}

/** The real loggers, created as a user does. */
const loggers: [name: string, make: () => Promise<Tried>][] = [
  [
    'pino',
    async () => {
      const { stream, written } = memory()
      return { logger: (await import('pino')).default<never>(stream), written }
    },
  ],
  [
    'winston',
    async () => {
      const { stream, written } = memory()
      const { default: winston } = await import('winston')
      const transports = [new winston.transports.Stream({ stream })]
      return { logger: winston.createLogger({ transports }), written }
    },
  ],
  [
    'bunyan',
    async () => {
      const { stream, written } = memory()
      return { logger: (await import('bunyan')).default.createLogger({ name: 'test', stream }), written }
    },
  ],
  [
    'console',
    async () => {
      const { stream, written } = memory()
      return { logger: new Console(stream, stream), written }
    },
  ],
]

it.each(loggers)(
  'a line of %s names the trace and the span of its delivery, where there is one',
  async (_, make) => {
    const { logger, written } = await make()
    const fallback = () => Promise.reject(new Error('no such account'))
    const options = { secret, now: clock, logger, store: memoryStore(), fallback, telemetry: rig.telemetry() }
    const receiver = createReceiver(options)
    const ids = await rig.tracer.startActiveSpan('POST /webhooks', async (span) => {
      await receiver.receive(await delivery({ ...settled, id: 'evt_traced' }))
      span.end()
      return span.spanContext()
    })
    await vi.waitFor(() => expect(written()).toContain('evt_traced'))
    expect(written()).toContain(` trace_id=${ids.traceId} span_id=${ids.spanId}`)

    await receiver.receive(await delivery({ ...settled, id: 'evt_plain' }))
    await vi.waitFor(() => expect(written()).toContain('evt_plain'))
    expect(written().slice(written().indexOf('evt_plain'))).not.toContain('trace_id')
  },
)
