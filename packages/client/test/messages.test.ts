import { describe, expect, test } from 'vitest'
import { type ClientOptions, type ConnectionError, createClient } from '../src/index.js'
import { WebhookSubscriptionRequest } from '../src/schemas/webhook-subscription.js'
import { failureOf, json, key, quickClient, reset, startService, wallet } from './setup/service.js'

const once = { retry: { maxRetries: 0 } }

describe('an option that cannot be used is named, with what it must be', () => {
  test.each<[object, string]>([
    [
      { timeout: 3 },
      'createClient has no option timeout. It has: baseUrl, apiKey, auth, allowInsecureHttp, retry, timeoutSeconds, ' +
        'maxResponseBytes, apiVersion, subscriptionsPath, fetch',
    ],
    [
      { retry: { retries: 3 } },
      'retry has no option retries. It has: maxRetries, firstPauseSeconds, longestPauseSeconds, ' +
        'longestRetryAfterSeconds',
    ],
    [{ retry: null }, 'the options of retry must be an object'],
    [{ retry: 'twice' }, 'the options of retry must be an object'],
    [{ retry: { maxRetries: 11 } }, 'retry.maxRetries must be a whole number from 0 to 10'],
    [{ retry: { firstPauseSeconds: -1 } }, 'retry.firstPauseSeconds must be a number from 0 to 86400'],
    [{ retry: { longestPauseSeconds: '8' } }, 'retry.longestPauseSeconds must be a number from 0 to 86400'],
    [
      { retry: { longestRetryAfterSeconds: 86_401 } },
      'retry.longestRetryAfterSeconds must be a number from 0 to 86400',
    ],
    [{ timeoutSeconds: 0 }, 'timeoutSeconds must be a number from 0.001 to 86400'],
    [{ maxResponseBytes: 1.5 }, 'maxResponseBytes must be a whole number from 1 to 1073741824'],
    [{ maxResponseBytes: 0 }, 'maxResponseBytes must be a whole number from 1 to 1073741824'],
    [{ apiVersion: '1' }, 'apiVersion must be a version such as v1'],
    [{ apiVersion: 'v12345' }, 'apiVersion must be a version such as v1'],
    [{ apiVersion: 'av1' }, 'apiVersion must be a version such as v1'],
    [{ apiVersion: 1 }, 'apiVersion must be a version such as v1'],
    [{ subscriptionsPath: '/x?y' }, 'subscriptionsPath must be a path such as /webhook-subscriptions'],
    [{ subscriptionsPath: '?/x' }, 'subscriptionsPath must be a path such as /webhook-subscriptions'],
    [{ subscriptionsPath: '' }, 'subscriptionsPath must be a path such as /webhook-subscriptions'],
    [{ fetch: 'fetch' }, 'fetch must be a function'],
    [{ auth: () => ({}) }, 'give apiKey or auth, not both'],
    [{ apiKey: undefined }, 'apiKey must be a string: is the environment variable set?'],
    [{ apiKey: `${key}\n` }, 'apiKey must be visible ASCII without white space'],
    [{ apiKey: ` ${key}` }, 'apiKey must be visible ASCII without white space'],
    [{ apiKey: 'undefined' }, 'apiKey is the text of a missing value'],
    [{ apiKey: 'null' }, 'apiKey is the text of a missing value'],
    [{ apiKey: undefined, auth: 'Bearer' }, 'auth must be a function that gives headers'],
    [{ baseUrl: 'api' }, 'baseUrl must be an absolute URL, such as https://api.example.com/v1'],
    [{ baseUrl: undefined }, 'baseUrl must be an absolute URL, such as https://api.example.com/v1'],
    [{ baseUrl: 'ftp://example.com' }, 'baseUrl must be an https: URL'],
    [{ baseUrl: 'https://a@example.com' }, 'baseUrl must not contain credentials: use apiKey or auth'],
    [{ baseUrl: 'https://:b@example.com' }, 'baseUrl must not contain credentials: use apiKey or auth'],
    [{ baseUrl: 'https://example.com/?a=b' }, 'baseUrl must not have a query or a fragment'],
    [{ baseUrl: 'https://example.com/#a' }, 'baseUrl must not have a query or a fragment'],
    [{ baseUrl: 'https://example.com/v2' }, 'baseUrl ends in /v2, and apiVersion is v1'],
    [
      { baseUrl: 'http://example.com' },
      'baseUrl is http: on another machine, so that the credential would be sent in the clear. Use https:, or set ' +
        'allowInsecureHttp: true in a network that you trust',
    ],
  ])('%j', (options, message) => {
    const all = { baseUrl: 'https://api.example.com', apiKey: key, ...options } as unknown as ClientOptions
    expect(() => createClient(all)).toThrow(expect.objectContaining({ name: 'UsageError', message }))
  })

  test.each<[object, string]>([
    [
      { timeOutSeconds: 3 },
      'a call has no option timeOutSeconds. It has: idempotencyKey, signal, timeoutSeconds, headers',
    ],
    [{ timeoutSeconds: 86_401 }, 'timeoutSeconds must be a number from 0.001 to 86400'],
    [{ signal: {} }, 'signal must be an AbortSignal'],
    [{ headers: { 'a b': 'c' } }, 'headers have a name or a value that HTTP does not allow'],
  ])('of a call: %j', async (options, message) => {
    const call = quickClient('http://127.0.0.1:1').wallets.get(wallet.id, options as never)
    expect(await failureOf(call)).toMatchObject({ name: 'UsageError', message })
  })

  test('the headers that auth gives', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', auth: () => ({ 'a b': 'c' }) })
    const message = 'the headers of auth have a name or a value that HTTP does not allow'
    expect(await failureOf(client.wallets.get(wallet.id))).toMatchObject({ code: 'invalid_header', message })
  })

  test('other arguments', async () => {
    const client = quickClient('http://127.0.0.1:1')
    const messageOf = async (call: Promise<unknown>) => ((await failureOf(call)) as Error).message
    expect(await messageOf(client.wallets.list({ limit: 101 }).page())).toBe(
      'limit must be a whole number from 1 to 100',
    )
    expect(await failureOf(client.wallets.list({ limit: 0 }).page())).toMatchObject({
      code: 'invalid_option',
    })
    expect(await messageOf(client.wallets.get(''))).toBe('an id must be a string that is not empty')
    const subscription = { url: 'ftp://example.com', events: ['*'] }
    const message = await messageOf(client.webhookSubscriptions.create(subscription))
    expect(message).toMatch(/^url must be .*https/)
    const [issue] = WebhookSubscriptionRequest.safeParse(subscription).error?.issues ?? []
    expect(`url ${issue?.message}`).toBe(message)
    expect(issue?.code).toBe('custom')
  })
})

describe('a response that cannot be used says why', () => {
  const get = async (...answer: Parameters<typeof json>) => {
    const service = await startService(json(...answer))
    const { message } = (await failureOf(quickClient(service.url, once).wallets.get(wallet.id))) as Error
    return message.replace(`GET /v1/wallets/${wallet.id}: `, '')
  }

  test.each<[string, Parameters<typeof json>, string]>([
    [
      'a page of a proxy',
      [200, '<html>'],
      '200 invalid_response: the body is not a JSON object. Is baseUrl the service, or is there a proxy before it?',
    ],
    ['nothing', [500, ''], '500: the body is empty'],
    [
      'another content type',
      [502, '<html>', { 'content-type': 'text/html' }],
      '502: the body is no problem document (text/html)',
    ],
    ['a redirect', [302, ''], '302: redirects are not followed. Set baseUrl to where the service is'],
    [
      'a redirect of the last status',
      [399, ''],
      '399: redirects are not followed. Set baseUrl to where the service is',
    ],
    ['the status after the redirects', [400, ''], '400: the body is empty'],
    ['a title without a detail', [400, { title: 'No' }], '400: No'],
    ['control characters', [400, { detail: 'a\u0007b\u2028c\u2029d' }], '400: a b c d'],
  ])('%s', async (_, answer, message) => {
    expect(await get(...answer)).toBe(message)
  })

  test('no content type', async () => {
    const service = await startService((response) => response.writeHead(500).end('down'))
    const { message } = (await failureOf(quickClient(service.url, once).wallets.get(wallet.id))) as Error
    expect(message).toContain('500: the body is no problem document (no content type)')
  })

  test('a body that is too large', async () => {
    const service = await startService(json(200, wallet))
    const call = quickClient(service.url, { maxResponseBytes: 5 }).wallets.get(wallet.id)
    expect(((await failureOf(call)) as Error).message).toContain(
      '200 response_too_large: the body is larger than maxResponseBytes',
    )
  })

  test('a created object without an id', async () => {
    const service = await startService(json(201, {}))
    const call = quickClient(service.url).wallets.create({ owner: 'cus_ada', currency: 'KES' })
    expect(((await failureOf(call)) as Error).message).toBe(
      'POST /v1/wallets: 201 invalid_response: the body has no id',
    )
  })

  test.each([
    [{ items: [] }, undefined, 'the body is no page: data must be a list of objects'],
    [{ data: [7] }, undefined, 'the body is no page: data must be a list of objects'],
    [
      { data: [], nextCursor: 'same' },
      'same',
      'nextCursor is the cursor of this page, so that the list would never end',
    ],
  ])('the page %j', async (body, cursor, why) => {
    const service = await startService(json(200, body))
    const call = quickClient(service.url).wallets.list().page({ cursor })
    expect(((await failureOf(call)) as Error).message).toContain(`200 invalid_response: ${why}`)
  })

  test('a cursor that is empty or no text is none', async () => {
    for (const nextCursor of ['', 7]) {
      const service = await startService(json(200, { data: [], hasMore: true, nextCursor }))
      expect(await quickClient(service.url).wallets.list().page()).toMatchObject({
        hasMore: false,
        nextCursor: null,
      })
    }
  })
})

describe('a call without a response', () => {
  const failing = (cause: unknown) =>
    quickClient('http://127.0.0.1:1', { ...once, fetch: () => Promise.reject(cause) })
  const create = (cause: unknown) =>
    failureOf(failing(cause).wallets.create({ owner: 'cus_ada', currency: 'KES' }, { idempotencyKey: 'k' }))

  test('says that nothing was sent where there was no connection', async () => {
    const failure = await create(
      new TypeError('failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) }),
    )
    expect(failure).toMatchObject({
      code: 'ENOTFOUND',
      mayHaveActed: false,
      message:
        'POST /v1/wallets: no connection to the service (ENOTFOUND). Nothing was sent. Is baseUrl right, and is the service running?',
    })
  })

  test('says what to do where the service may have acted', async () => {
    const hint = '. The service may have acted: repeat the call with the idempotencyKey of this error'
    expect(await create(Object.assign(new Error(), { code: 'ECONNRESET' }))).toMatchObject({
      mayHaveActed: true,
      message: `POST /v1/wallets: no complete response from the service (ECONNRESET)${hint}`,
    })
    expect(await create('no error at all')).toMatchObject({
      code: undefined,
      message: `POST /v1/wallets: no complete response from the service (the connection failed)${hint}`,
    })
    const read = failing(Object.assign(new Error(), { code: 7 })).wallets.get(wallet.id)
    expect(await failureOf(read)).toMatchObject({
      code: undefined,
      message: `GET /v1/wallets/${wallet.id}: no complete response from the service (the connection failed)`,
    })
  })

  test('finds the code of the system five causes deep, and no deeper', async () => {
    const nested = (depth: number): Error =>
      depth === 0
        ? Object.assign(new Error(), { code: 'ECONNREFUSED' })
        : new Error('outer', { cause: nested(depth - 1) })
    const codeOf = async (depth: number) => ((await create(nested(depth))) as ConnectionError).code
    expect([await codeOf(4), await codeOf(5)]).toEqual(['ECONNREFUSED', undefined])
    const circle = new Error('circle')
    circle.cause = circle
    expect(((await create(circle)) as ConnectionError).code).toBeUndefined()
  })
})

test('a delete that finds nothing at its first request fails', async () => {
  const service = await startService(json(404, { code: 'not_found' }))
  const call = quickClient(service.url).webhookSubscriptions.delete('whe_1')
  expect(await failureOf(call)).toMatchObject({ status: 404, requests: 1 })
})

test('a delete that may not be done fails, also at its second request', async () => {
  const service = await startService(reset, json(403, { code: 'forbidden' }))
  const call = quickClient(service.url).webhookSubscriptions.delete('whe_1')
  expect(await failureOf(call)).toMatchObject({ status: 403, requests: 2 })
})

test('asks for JSON', async () => {
  const service = await startService(json(200, wallet))
  await quickClient(service.url).wallets.get(wallet.id)
  expect(service.requests[0]?.headers.accept).toBe('application/json, application/problem+json')
})

test.each(['Sun, 06 Nov 2044 08:49:37 GMT (UTC)', 'now, Sun, 06 Nov 2044 08:49:37 GMT', '7 s', ''])(
  'a Retry-After of %j is none',
  async (value) => {
    const service = await startService(json(503, {}, { 'retry-after': value }))
    expect(await failureOf(quickClient(service.url, once).wallets.get(wallet.id))).toMatchObject({
      retryAfterSeconds: undefined,
    })
  },
)
