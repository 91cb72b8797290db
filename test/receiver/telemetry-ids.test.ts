import { afterAll, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import type { Telemetry } from '../../src/telemetry/telemetry.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { delivery, lines } from './deliver.js'
import { common } from './telemetry-recorder.js'

afterAll(removeFiles)

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

it('ids that are rejected promises end no process', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const reject = () => Promise.reject(new Error('no trace'))
  const telemetry = { traceIds: () => ({ traceId: reject(), spanId: reject() }) } as unknown as Telemetry
  const logger = lines()
  const fallback = () => Promise.reject(new Error('no'))
  const receiver = createReceiver({ ...common, logger, store: memoryStore(), fallback, telemetry })
  await receiver.receive(await delivery())
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(logger.written).toHaveLength(1)
  expect(unhandled).not.toHaveBeenCalled()
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
