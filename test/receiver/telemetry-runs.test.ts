import { afterAll, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { delivery, lines, now, settled } from './deliver.js'
import { common, patiently, recorder, traceparent } from './telemetry-recorder.js'

afterAll(removeFiles)

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

it('an event from the future has a lag of zero', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  const createdAt = new Date(Date.now() + 60_000).toISOString()
  await receiver.receive(await delivery({ ...settled, createdAt }))
  expect(told.delivered).toMatchObject([{ lagSeconds: 0 }])
  expect(told.ran).toMatchObject([{ lagSeconds: 0 }])
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

it('a handler that is still running is told with its time so far', async () => {
  const { told, telemetry } = recorder()
  const options = { ...common, store: memoryStore(), handlerTimeoutSeconds: 0.05, telemetry }
  const receiver = createReceiver({ ...options, fallback: () => new Promise(() => {}) })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
  const [run] = told.ran as unknown as { handlerSeconds: number; settleSeconds?: number }[]
  expect(run?.handlerSeconds).toBeGreaterThan(0.04)
  expect(run?.settleSeconds).toBeUndefined()
})

it('a handler that succeeds after its time is told as a late success', async () => {
  const succeededLate = vi.fn()
  let finish = () => {}
  const handler = () => new Promise<void>((resolve) => (finish = resolve))
  const options = { ...common, store: memoryStore(), handlerTimeoutSeconds: 0.05, fallback: handler }
  const receiver = createReceiver({ ...options, telemetry: { succeededLate } })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
  finish()
  await vi.waitFor(() => expect(succeededLate).toHaveBeenCalledTimes(1), patiently)
  const about = { endpoint: 'default', type: 'transfer.settled', eventId: 'evt_1' }
  expect(succeededLate).toHaveBeenCalledWith(about)
})

it('an error of succeededLate() is logged, and its absence is not', async () => {
  const broken = () => Promise.reject(new Error('the tracer is broken'))
  for (const telemetry of [{}, { succeededLate: broken as never }]) {
    const logger = lines()
    let finish = () => {}
    const handler = () => new Promise<void>((resolve) => (finish = resolve))
    const options = { ...common, logger, store: memoryStore(), handlerTimeoutSeconds: 0.05, telemetry }
    const receiver = createReceiver({ ...options, fallback: handler })
    await receiver.receive(await delivery())
    finish()
    await receiver.stop()
    const told = logger.written.filter((line) => line.includes('telemetry succeededLate threw'))
    expect(told).toHaveLength('succeededLate' in telemetry ? 1 : 0)
    expect(logger.written.filter((line) => line.includes('telemetry'))).toEqual(told)
  }
})

it('a clock that fails after the check of the age gives no skew', async () => {
  const { told, telemetry } = recorder()
  let isBroken = false
  const clock = () => {
    if (isBroken) {
      throw new Error('the clock is broken')
    }
    return now
  }
  const fallback = () => {
    isBroken = true
  }
  const receiver = createReceiver({ ...common, now: clock, store: memoryStore(), fallback, telemetry })
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
  expect(told.delivered).toMatchObject([{ clockSkewSeconds: undefined }])
})
