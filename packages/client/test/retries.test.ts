import { getEventListeners } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { sleep } from '../src/abortable.js'
import { ApiError, type Client, ConnectionError, TimeoutError } from '../src/index.js'
import { pauseBeforeRetry } from '../src/retry.js'
import { retryAfterSeconds } from '../src/retry-after.js'
import {
  type Behavior,
  failureOf,
  half,
  json,
  quickClient,
  reset,
  silence,
  silenceAfterHeaders,
  startService,
  wallet,
} from './setup/service.js'

const problem = (status: number, headers: Record<string, string> = {}) =>
  json(status, { title: 'Not now', status }, headers)

const make = (client: Client, signal?: AbortSignal) =>
  client.wallets.create({ owner: 'cus_ada', currency: 'KES' }, { signal })

describe('retries', () => {
  test.each<[string, Behavior]>([
    ['a reset', reset],
    ['half a body', half],
    ['500', problem(500)],
    ['502 with a page', json(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' })],
    ['503', problem(503)],
    ['429', problem(429)],
    ['429 with Retry-After', problem(429, { 'retry-after': '0' })],
    ['409 with Retry-After', problem(409, { 'retry-after': '0' })],
  ])('sends a call again after %s', async (_case, behavior) => {
    const service = await startService(behavior, behavior, json(201, wallet))
    expect(await make(quickClient(service.url))).toEqual(wallet)
    expect(service.requests).toHaveLength(3)
  })

  test.each([400, 401, 403, 404, 409, 413, 422, 501, 505])(
    'does not send a call again after %i',
    async (status) => {
      const service = await startService(problem(status))
      const failure = await failureOf(make(quickClient(service.url)))
      expect(failure).toMatchObject({ name: 'ApiError', status, requests: 1 })
      expect(service.requests).toHaveLength(1)
    },
  )

  test('sends at most four requests, and says so', async () => {
    const service = await startService(problem(503))
    expect(await failureOf(make(quickClient(service.url)))).toMatchObject({ status: 503, requests: 4 })
    expect(service.requests).toHaveLength(4)
  })

  test('sends as many requests as the option allows', async () => {
    const service = await startService(reset)
    const client = quickClient(service.url, { retry: { maxRetries: 0 } })
    expect(await failureOf(make(client))).toMatchObject({ name: 'ConnectionError', requests: 1 })
    expect(service.requests).toHaveLength(1)
  })

  test('a refused connection is a ConnectionError with the code of the system', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const failure = await failureOf(make(quickClient(`http://127.0.0.1:${port}`)))
    expect(failure).toBeInstanceOf(ConnectionError)
    expect(failure).toMatchObject({ code: 'ECONNREFUSED', requests: 4, cause: expect.any(Error) })
    expect(failure).toMatchObject({ mayHaveActed: false })
    expect(String(failure)).toMatch(/no connection to the service \(ECONNREFUSED\)\. Nothing was sent\./)
  })

  test('a name that cannot be resolved is a ConnectionError, and nothing was sent', async () => {
    const failure = await failureOf(make(quickClient('http://nobody.invalid', { allowInsecureHttp: true })))
    expect(failure).toMatchObject({ name: 'ConnectionError', mayHaveActed: false })
    expect((failure as ConnectionError).code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/)
  })

  test('a service that dies after the first request may have acted', async () => {
    const service = await startService((response) => {
      // The request has arrived; every later connection is refused.
      service.server.close()
      response.socket?.destroy()
    })
    const failure = await failureOf(make(quickClient(service.url)))
    expect(failure).toMatchObject({ code: 'ECONNREFUSED', requests: 4, mayHaveActed: true })
    expect(String(failure)).toContain('The service may have acted')
  })

  test.each([
    ['an answer', silence],
    ['the end of an answer', silenceAfterHeaders],
  ])('waits for %s no longer than timeoutSeconds, and retries', async (_case, behavior) => {
    const service = await startService(behavior, json(201, wallet))
    expect(await make(quickClient(service.url, { timeoutSeconds: 0.2 }))).toEqual(wallet)
    expect(service.requests).toHaveLength(2)
  })

  test('after the last timeout the call is a TimeoutError', async () => {
    const service = await startService(silence)
    const failure = await failureOf(quickClient(service.url).wallets.get(wallet.id, { timeoutSeconds: 0.05 }))
    expect(failure).toBeInstanceOf(TimeoutError)
    expect(failure).toMatchObject({ timeoutSeconds: 0.05, requests: 4 })
  })

  test('a timeout ends a call even if fetch ignores its signal', async () => {
    const client = quickClient('https://api.example.com', {
      timeoutSeconds: 0.02,
      fetch: () => new Promise(() => {}),
    })
    expect(await failureOf(make(client))).toBeInstanceOf(TimeoutError)
  })

  test('a response that comes after the timeout is thrown away', async () => {
    let cancelled: unknown
    const late = new ReadableStream({
      cancel(reason) {
        cancelled = reason
      },
    })
    const client = quickClient('https://api.example.com', {
      timeoutSeconds: 0.02,
      retry: { maxRetries: 0 },
      fetch: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return new Response(late)
      },
    })
    expect(await failureOf(make(client))).toBeInstanceOf(TimeoutError)
    await expect.poll(() => cancelled).toBeDefined()
  })

  test('a deleted subscription that is gone at the retry is deleted', async () => {
    const lost = await startService(reset, problem(404))
    await quickClient(lost.url).webhookSubscriptions.delete('whe_1')
    expect(lost.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE'])
    const never = await startService(problem(404))
    expect(await failureOf(quickClient(never.url).webhookSubscriptions.delete('whe_1'))).toBeInstanceOf(
      ApiError,
    )
  })
})

describe('a retry waits', () => {
  const settings = {
    maxRetries: 10,
    firstPauseSeconds: 0.5,
    longestPauseSeconds: 8,
    longestRetryAfterSeconds: 60,
  }
  const call = { method: 'GET', path: '/', requests: 1, idempotencyKey: undefined }
  const answered = (status: number, seconds?: number) =>
    new ApiError(
      call,
      {
        status,
        code: undefined,
        param: undefined,
        requestId: undefined,
        retryAfterSeconds: seconds,
        body: '',
      },
      '',
    )

  test('twice as long each time, up to the longest pause', () => {
    const longest = Array.from({ length: 7 }, (_, retries) =>
      pauseBeforeRetry(answered(503), retries, settings, () => 1),
    )
    expect(longest).toEqual([0.5, 1, 2, 4, 8, 8, 8])
  })

  test('a random part of that, so that clients do not retry together', () => {
    expect(pauseBeforeRetry(answered(503), 3, settings, () => 0)).toBe(0)
    const pauses = Array.from({ length: 200 }, () => pauseBeforeRetry(answered(503), 3, settings) ?? -1)
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...pauses)).toBeLessThan(4)
    expect(new Set(pauses).size).toBeGreaterThan(100)
  })

  test('never less than Retry-After', () => {
    expect(pauseBeforeRetry(answered(429, 7), 0, settings, () => 0)).toBe(7)
    expect(pauseBeforeRetry(answered(429, 7), 0, settings, () => 1)).toBe(7.5)
  })

  test('not at all if Retry-After is too long: the call ends, and the error has the duration', async () => {
    expect(pauseBeforeRetry(answered(429, 60), 0, settings, () => 0)).toBe(60)
    expect(pauseBeforeRetry(answered(429, 61), 0, settings, () => 0)).toBeUndefined()
    const service = await startService(problem(503, { 'retry-after': '3600' }))
    const failure = await failureOf(make(quickClient(service.url)))
    expect(failure).toMatchObject({ requests: 1, retryAfterSeconds: 3600 })
  })

  test('as long as the service asks, over a socket', async () => {
    const service = await startService(problem(429, { 'retry-after': '1' }), json(201, wallet))
    const start = performance.now()
    await make(quickClient(service.url))
    expect(performance.now() - start).toBeGreaterThanOrEqual(990)
  })

  test.each([
    ['seconds', { 'retry-after': '120' }, 120],
    [
      'a date, by the clock of the service',
      { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
      30,
    ],
    [
      'a date that is past',
      { 'retry-after': 'Wed, 21 Oct 2015 07:27:00 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
      0,
    ],
    ['a negative number', { 'retry-after': '-1' }, undefined],
    ['a word', { 'retry-after': 'soon' }, undefined],
    ['a number without end', { 'retry-after': '9'.repeat(400) }, undefined],
    ['a date that is none', { 'retry-after': 'Wed, 99 Xyz 2015 07:28:30 GMT' }, undefined],
    ['nothing', {}, undefined],
  ])('reads %s', (_case, headers, expected) => {
    expect(retryAfterSeconds(new Headers(headers as Record<string, string>))).toBe(expected)
  })

  test('a date without a Date header is read by our own clock', () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    const seconds = retryAfterSeconds(new Headers({ 'retry-after': inAMinute })) ?? 0
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
  })
})

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
