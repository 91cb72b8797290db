import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '../src/index.js'
import { failureOf, json, key, quickClient, startService, wallet } from './setup/service.js'

const subscription = { url: 'https://example.com/webhooks', events: ['transfer.*'] }

describe('the base URL', () => {
  test.each(['', '/', '/v1', '/v1/', '//'])('may end in %j', async (end) => {
    const service = await startService(json(201, { id: 'x' }))
    const client = quickClient(service.url + end)
    await client.wallets.create({ owner: 'cus_ada', currency: 'KES' })
    await client.webhookSubscriptions.create(subscription)
    expect(service.requests.map(({ path }) => path)).toEqual(['/v1/wallets', '/webhook-subscriptions'])
  })

  test.each(['/gateway', '/gateway/', '/gateway/v1', '/gateway/v1/'])(
    'may have the prefix %s',
    async (prefix) => {
      const service = await startService(json(201, { id: 'x' }))
      const client = quickClient(service.url + prefix)
      await client.wallets.get('wallet_kes_ada')
      await client.webhookSubscriptions.create(subscription)
      expect(service.requests.map(({ path }) => path)).toEqual([
        '/gateway/v1/wallets/wallet_kes_ada',
        '/gateway/webhook-subscriptions',
      ])
    },
  )

  test.each(['', '/v2', '/v2/'])('with apiVersion v2 may end in %j', async (end) => {
    const service = await startService(json(201, { id: 'x' }))
    const client = quickClient(service.url + end, { apiVersion: 'v2' })
    await client.wallets.get('wallet_kes_ada')
    await client.webhookSubscriptions.create(subscription)
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/v2/wallets/wallet_kes_ada',
      '/webhook-subscriptions',
    ])
  })

  test.each([
    ['/v1', 'v2'],
    ['/v2', undefined],
  ])('may not end in %s where apiVersion is %s', (end, apiVersion) => {
    const make = () => quickClient(`https://api.example.com${end}`, { apiVersion })
    expect(make).toThrow(`baseUrl ends in ${end}, and apiVersion is ${apiVersion ?? 'v1'}`)
  })

  test.each(['', '1', 'v', '/v1', 'v1/x', '..', 2])('apiVersion is not %j', (apiVersion) => {
    const make = () => quickClient('https://api.example.com', { apiVersion: apiVersion as string })
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })

  test('an option adds the prefix to the path of subscriptions', async () => {
    const service = await startService(json(201, { id: 'x' }))
    const client = quickClient(service.url, { subscriptionsPath: '/v1/webhook-subscriptions' })
    await client.webhookSubscriptions.create(subscription)
    expect(service.requests[0]?.path).toBe('/v1/webhook-subscriptions')
  })

  test.each([
    undefined,
    '',
    'api.example.com/v1',
    '/v1',
    'ftp://api.example.com',
    'https://user:password@api.example.com',
    'https://api.example.com/v1?x=1',
    'https://api.example.com/#x',
  ])('is not %s', (baseUrl) => {
    const options = { baseUrl, apiKey: key } as ClientOptions
    expect(() => createClient(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
    expect(() => createClient(options)).not.toThrow(/password/)
  })
})

test('every call goes to its path', async () => {
  const service = await startService(json(200, { id: 'x', data: [], hasMore: false }))
  const { wallets, transfers, events, webhookSubscriptions, approvals, ledgerEntries } = quickClient(
    service.url,
  )
  await wallets.get('wallet_kes_ada')
  await wallets.balance('wallet_kes_ada')
  await wallets.list().page()
  await transfers.get('tr_1')
  await transfers.list().page()
  await events.get('evt_1')
  await events.list().page()
  await webhookSubscriptions.get('whe_1')
  await webhookSubscriptions.list().page()
  await webhookSubscriptions.delete('whe_1')
  await approvals.get('apr_1')
  await approvals.list().page()
  await ledgerEntries.list().page()
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/wallets/wallet_kes_ada',
    'GET /v1/wallets/wallet_kes_ada/balance',
    'GET /v1/wallets',
    'GET /v1/transfers/tr_1',
    'GET /v1/transfers',
    'GET /v1/events/evt_1',
    'GET /v1/events',
    'GET /webhook-subscriptions/whe_1',
    'GET /webhook-subscriptions',
    'DELETE /webhook-subscriptions/whe_1',
    'GET /v1/approvals/apr_1',
    'GET /v1/approvals',
    'GET /v1/ledger/entries',
  ])
})

test('a body is sent as JSON, and a read has none', async () => {
  const service = await startService(json(201, { id: 'tr_1' }))
  const client = quickClient(service.url)
  const transfer = {
    source: 'wallet_kes_ada',
    destination: { type: 'mobile_money', network: 'sim_settle', phone: '+254712345678' },
    amount: '10.50',
    currency: 'KES',
    metadata: { reference: 'Zoë €' },
  }
  await client.transfers.create(transfer)
  await client.transfers.get('tr_1')
  expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(transfer)
  expect(service.requests[0]?.headers['content-type']).toBe('application/json')
  expect(service.requests[1]).toMatchObject({ body: '' })
  expect(service.requests[1]?.headers).not.toHaveProperty('content-type')
})

describe('an invalid argument is rejected before anything is sent', () => {
  test.each(['', '.', '..', undefined, 7])('the id %j', async (id) => {
    const service = await startService(json(200, wallet))
    expect(await failureOf(quickClient(service.url).wallets.get(id as string))).toMatchObject({
      code: 'invalid_id',
    })
    expect(service.requests).toEqual([])
  })

  test('an id stays one segment of the path', async () => {
    const service = await startService(json(200, wallet))
    await quickClient(service.url).wallets.get('../transfers/tr_1?x#y')
    expect(service.requests[0]?.path).toBe('/v1/wallets/..%2Ftransfers%2Ftr_1%3Fx%23y')
  })

  test.each([
    'http://example.com/webhooks',
    'http://10.0.0.1/',
    'ftp://example.com',
    'webhooks',
    'https://a:b@example.com',
  ])('a subscription to %s', async (url) => {
    const service = await startService(json(201, { id: 'whe_1' }))
    const call = quickClient(service.url).webhookSubscriptions.create({ ...subscription, url })
    expect(await failureOf(call)).toMatchObject({ name: 'UsageError', code: 'invalid_webhook_url' })
    expect(service.requests).toEqual([])
  })

  test.each([
    'http://127.0.0.1:3000/webhooks',
    'http://localhost:3000/webhooks',
    'https://example.com/webhooks',
  ])('but not a subscription to %s', async (url) => {
    const service = await startService(json(201, { id: 'whe_1', secret: 'whsec_x' }))
    const created = await quickClient(service.url).webhookSubscriptions.create({ ...subscription, url })
    expect(created.secret).toBe('whsec_x')
  })

  test.each([
    ['a misspelt option', { timeOutSeconds: 3 }, 'unknown_option'],
    ['a timeout of nothing', { timeoutSeconds: 0 }, 'invalid_option'],
    ['a timeout of weeks', { timeoutSeconds: 1e9 }, 'invalid_option'],
    ['a signal that is none', { signal: {} }, 'invalid_option'],
    ['a header with a line break', { headers: { a: 'b\r\nc: d' } }, 'invalid_header'],
  ])('a call with %s', async (_case, options, code) => {
    const service = await startService(json(200, wallet))
    expect(await failureOf(quickClient(service.url).wallets.get(wallet.id, options as never))).toMatchObject({
      code,
    })
    expect(service.requests).toEqual([])
  })

  test('an option with a long name, which the message cuts', async () => {
    const failure = quickClient('http://localhost').wallets.get(wallet.id, { ['x'.repeat(1e6)]: 1 } as never)
    expect(((await failureOf(failure)) as Error).message).toMatch(/^.{1,300}$/)
  })

  test.each([
    ['a misspelt option', { timeout: 3 }],
    ['a misspelt option of retry', { retry: { retries: 3 } }],
    ['eleven retries', { retry: { maxRetries: 11 } }],
    ['half a retry', { retry: { maxRetries: 0.5 } }],
    ['a pause below nothing', { retry: { firstPauseSeconds: -1 } }],
    ['a timeout that is no number', { timeoutSeconds: '3' }],
    ['a path of subscriptions with a query', { subscriptionsPath: '/x?y' }],
    ['a fetch that is none', { fetch: 'fetch' }],
  ])('a client with %s', (_case, options) => {
    const all = { baseUrl: 'https://api.example.com', apiKey: key, ...options } as unknown as ClientOptions
    expect(() => createClient(all)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

test('the fetch option sends every request', async () => {
  const seen: string[] = []
  const client = quickClient('http://127.0.0.1:1', {
    fetch: async (request) => {
      seen.push(`${request.method} ${request.url} ${request.redirect}`)
      return Response.json(wallet)
    },
  })
  expect(await client.wallets.get(wallet.id)).toEqual(wallet)
  expect(seen).toEqual([`GET http://127.0.0.1:1/v1/wallets/${wallet.id} manual`])
})
