import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { sleep } from '../src/abortable.js'
import { make, problem } from './setup/create-wallet.js'
import {
  failureOf,
  json,
  quickClient,
  reset,
  silence,
  silenceAfterHeaders,
  startService,
  wallet,
} from './setup/service.js'

describe('a signal ends a call', () => {
  const reason = new Error('the user went away')

  test('before anything is sent', async () => {
    const service = await startService(json(201, wallet))
    expect(await failureOf(make(quickClient(service.url), AbortSignal.abort(reason)))).toBe(reason)
    expect(service.requests).toEqual([])
  })

  test.each([
    ['an answer', silence],
    ['the end of an answer', silenceAfterHeaders],
  ])('while it waits for %s, without a retry', async (_case, behavior) => {
    const service = await startService(behavior)
    const controller = new AbortController()
    const call = failureOf(make(quickClient(service.url), controller.signal))
    await service.arrived(1)
    controller.abort(reason)
    expect(await call).toBe(reason)
    expect(service.requests).toHaveLength(1)
  })

  test('while it waits for a retry', async () => {
    const service = await startService(problem(503, { 'retry-after': '3600' }))
    const client = quickClient(service.url, { retry: { longestRetryAfterSeconds: 3600 } })
    const controller = new AbortController()
    const call = failureOf(make(client, controller.signal))
    await service.arrived(1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    controller.abort(reason)
    expect(await call).toBe(reason)
    expect(service.requests).toHaveLength(1)
  })

  test('while it waits for the last answer that it may wait for', async () => {
    const service = await startService(silence)
    const controller = new AbortController()
    const call = failureOf(make(quickClient(service.url, { retry: { maxRetries: 0 } }), controller.signal))
    await service.arrived(1)
    controller.abort(reason)
    expect(await call).toBe(reason)
  })

  test('while it waits for auth', async () => {
    const controller = new AbortController()
    const client = quickClient('https://api.example.com', {
      auth: () => new Promise(() => {}),
      apiKey: undefined,
    } as never)
    const call = failureOf(make(client, controller.signal))
    controller.abort(reason)
    expect(await call).toBe(reason)
  })

  test('and leaves no timer that would keep a program alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const service = await startService(json(201, wallet))
    const before = timers()
    await make(quickClient(service.url))
    expect(timers() - before).toBeLessThanOrEqual(0)

    const controller = new AbortController()
    const pause = failureOf(sleep(3600, controller.signal))
    expect(timers() - before).toBe(1)
    controller.abort(reason)
    expect(await pause).toBe(reason)
    expect(timers() - before).toBeLessThanOrEqual(0)
  })

  test('and keeps no listener after calls that ended', async () => {
    const service = await startService(reset, json(201, wallet))
    const { signal } = new AbortController()
    const client = quickClient(service.url)
    for (let i = 0; i < 5; i++) {
      await make(client, signal)
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
