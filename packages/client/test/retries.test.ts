import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ConnectionError, TimeoutError } from '../src/index.js'
import { make, problem } from './setup/create-wallet.js'
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

  test('a body that does not end is thrown away after the timeout, even if fetch ignores its signal', async () => {
    let isCancelled = false
    const endless = new ReadableStream({
      cancel() {
        isCancelled = true
      },
    })
    const client = quickClient('https://api.example.com', {
      timeoutSeconds: 0.02,
      retry: { maxRetries: 0 },
      fetch: async () => new Response(endless),
    })
    expect(await failureOf(make(client))).toBeInstanceOf(TimeoutError)
    await expect.poll(() => isCancelled).toBe(true)
  })
})
