import { expect, test } from 'vitest'
import { createClient } from '../src/index.js'
import { json, key, quickClient, startService, wallet } from './setup/service.js'

test.each([
  { retry: { maxRetries: 0 } },
  { retry: { maxRetries: 10 } },
  { retry: { firstPauseSeconds: 0 } },
  { retry: { firstPauseSeconds: 86_400 } },
  { retry: { longestPauseSeconds: 0 } },
  { retry: { longestPauseSeconds: 86_400 } },
  { retry: { longestRetryAfterSeconds: 0 } },
  { retry: { longestRetryAfterSeconds: 86_400 } },
  { timeoutSeconds: 0.001 },
  { timeoutSeconds: 86_400 },
  { maxResponseBytes: 1 },
  { maxResponseBytes: 2 ** 30 },
])('a client may have the least and the most of an option: %j', (options) => {
  quickClient('https://api.example.com', options)
})

test('a call may have the longest timeout', async () => {
  const service = await startService(json(200, wallet))
  const call = quickClient(service.url).wallets.get(wallet.id, { timeoutSeconds: 86_400 })
  expect(await call).toEqual(wallet)
})

test.each([1, 100])('a page may have %d items', async (limit) => {
  const service = await startService(json(200, { data: [], hasMore: false }))
  await quickClient(service.url).wallets.list({ limit }).page()
  expect(service.requests[0]?.path).toBe(`/v1/wallets?limit=${limit}`)
})

test.each(['v0', 'v10', 'v1234'])('the version may be %s', async (apiVersion) => {
  const service = await startService(json(200, wallet))
  for (const end of ['', `/${apiVersion}`, '/v7/gateway']) {
    await quickClient(service.url + end, { apiVersion }).wallets.get(wallet.id)
  }
  const path = `/${apiVersion}/wallets/${wallet.id}`
  expect(service.requests.map((request) => request.path)).toEqual([path, path, `/v7/gateway${path}`])
})

test.each(['http://127.10.20.30:3000', 'http://localhost', 'http://api.localhost', 'http://[::1]'])(
  'the service may be at %s without TLS',
  (baseUrl) => {
    createClient({ baseUrl, apiKey: key })
  },
)

test.each(['http://notlocalhost', 'http://localhost.example.com', 'http://128.0.0.1', 'http://[::2]'])(
  'the service may not be at %s without TLS',
  (baseUrl) => {
    expect(() => createClient({ baseUrl, apiKey: key })).toThrow(
      expect.objectContaining({ code: 'insecure_base_url' }),
    )
  },
)
