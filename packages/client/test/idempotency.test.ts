import { describe, expect, test } from 'vitest'
import { failureOf, half, json, quickClient, reset, startService, wallet } from './setup/service.js'

const request = { owner: 'cus_ada', currency: 'KES' }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('idempotency', () => {
  test('a POST has a key of its own, and its retries have the same one and the same body', async () => {
    const service = await startService(reset, half, json(503, {}), json(201, wallet))
    await quickClient(service.url).wallets.create(request)
    const keys = service.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(uuid)
    expect(new Set(service.requests.map(({ body }) => body))).toEqual(new Set([JSON.stringify(request)]))
  })

  test('a retry sends what the call was made with, also if the program has changed its object since', async () => {
    const service = await startService(json(503, {}), json(201, wallet))
    const changing = { ...request }
    const call = quickClient(service.url).wallets.create(changing)
    changing.currency = 'USD'
    await call
    expect(service.requests.map(({ body }) => body)).toEqual(Array(2).fill(JSON.stringify(request)))
  })

  test('two calls have two keys', async () => {
    const service = await startService(json(201, wallet))
    const client = quickClient(service.url)
    await client.wallets.create(request)
    await client.wallets.create(request)
    expect(new Set(service.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
  })

  test('every POST has a key, and no other request has one', async () => {
    const service = await startService(json(201, { id: 'x', data: [], hasMore: false }))
    const client = quickClient(service.url)
    await client.wallets.create(request)
    await client.transfers.create({
      source: 'wallet_kes_ada',
      destination: 'wallet_kes_ben',
      amount: 1,
      currency: 'KES',
      rail: 'sim_settle',
    })
    await client.webhookSubscriptions.create({ url: 'https://example.com/webhooks', events: ['*'] })
    await client.wallets.get('wallet_kes_ada')
    await client.wallets.list().page()
    await client.webhookSubscriptions.delete('whe_1')
    const keyed = service.requests.map(({ method, headers }) => [method, 'idempotency-key' in headers])
    expect(keyed).toEqual([
      ['POST', true],
      ['POST', true],
      ['POST', true],
      ['GET', false],
      ['GET', false],
      ['DELETE', false],
    ])
  })

  test('a key that is given is used', async () => {
    const service = await startService(reset, json(201, wallet))
    await quickClient(service.url).wallets.create(request, { idempotencyKey: 'order-1042' })
    expect(service.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'order-1042',
      'order-1042',
    ])
  })

  test.each(['', 'a b', 'ä', 'x'.repeat(256), 'a\n'])(
    'the key %j is rejected before anything is sent',
    async (given) => {
      const service = await startService(json(201, wallet))
      const call = quickClient(service.url).wallets.create(request, { idempotencyKey: given })
      expect(await failureOf(call)).toMatchObject({
        name: 'UsageError',
        code: 'invalid_option',
        message: 'idempotencyKey must be 1 to 255 visible ASCII characters',
      })
      expect(service.requests).toEqual([])
    },
  )

  test('the error of a call with an unknown outcome has its key, so that the call can be repeated', async () => {
    const service = await startService(reset, reset, reset, reset, json(201, wallet))
    const client = quickClient(service.url)
    const failure = (await failureOf(client.wallets.create(request))) as {
      idempotencyKey: string
      message: string
    }
    expect(failure).toMatchObject({ name: 'ConnectionError', idempotencyKey: expect.stringMatching(uuid) })
    expect(failure.message).toContain('repeat the call with the idempotencyKey')
    await client.wallets.create(request, { idempotencyKey: failure.idempotencyKey })
    expect(service.requests[4]?.headers['idempotency-key']).toBe(
      service.requests[0]?.headers['idempotency-key'],
    )
  })
})
