import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WalletId } from 'webhook-inbox-client/schemas'
import { runs as fuzzRuns } from '../../../../test/fuzz-runs.js'
import { startTestSandbox } from '../rig.js'

describe('POST /v1/wallets', () => {
  test('creates a wallet with its owner and its currency, which reads give back', async () => {
    const sandbox = await startTestSandbox()
    const created = await sandbox.post('/v1/wallets', { owner: 'cus_ada', currency: 'EUR' })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe(`/v1/wallets/${created.body.id}`)
    expect(created.headers.get('sandbox-assumption')).toBe('G2, G10')
    expect(created.body).toMatchObject({
      object: 'wallet',
      owner: 'cus_ada',
      currency: 'EUR',
      status: 'active',
      balance: { available: '0.00', pending: '0.00' },
    })
    const read = await sandbox.get(`/v1/wallets/${created.body.id}`)
    expect(read.body).toEqual(created.body)
    expect((await sandbox.get(`/v1/wallets/${created.body.id}/balance`)).body).toEqual(created.body.balance)
  })

  test.each([
    ['missing', undefined],
    ['without the prefix', 'ada'],
    ['with another prefix', 'wallet_ada'],
    ['with an empty id', 'cus_'],
    ['a number', 7],
    ['null', null],
  ])('requires owner to be cus_<id>: %s is 422', async (_, owner) => {
    const sandbox = await startTestSandbox()
    const { status, body } = await sandbox.post('/v1/wallets', { owner, currency: 'KES' })
    expect([status, body.code, body.param]).toEqual([422, 'invalid_request', 'owner'])
  })

  test.each([undefined, 'kes', 'XXQ', 'K', 'KESS', '', 404, null])(
    'requires currency to be an active ISO 4217 code in capitals: %s is 422',
    async (currency) => {
      const sandbox = await startTestSandbox()
      const { status, body } = await sandbox.post('/v1/wallets', { owner: 'cus_ada', currency })
      expect([status, body.param]).toEqual([422, 'currency'])
    },
  )

  test('rejects a field that the interface does not have', async () => {
    const sandbox = await startTestSandbox()
    const { status, body } = await sandbox.post('/v1/wallets', {
      owner: 'cus_ada',
      currency: 'KES',
      balance: 1,
    })
    expect([status, body.param]).toEqual([422, 'balance'])
  })

  test('makes identifiers of the shape wallet_<currency in lower case>_<id>, each another', async () => {
    const sandbox = await startTestSandbox()
    const numRuns = fuzzRuns(400)
    const ids = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('KES', 'USD', 'EUR', 'JPY'), async (currency) => {
        const { body } = await sandbox.post('/v1/wallets', { owner: 'cus_ada', currency })
        expect(WalletId.parse(body.id)).toBe(body.id)
        expect(body.id).toMatch(new RegExp(`^wallet_${currency.toLowerCase()}_[A-Za-z0-9]+$`))
        expect(ids.has(body.id)).toBe(false)
        ids.add(body.id)
      }),
      { numRuns },
    )
    expect(ids.size).toBe(numRuns)
  })

  test('emits no event', async () => {
    const sandbox = await startTestSandbox()
    await sandbox.post('/v1/wallets', { owner: 'cus_ada', currency: 'EUR' })
    await sandbox.advance({ hours: 1 })
    expect((await sandbox.get('/v1/events')).body.data).toEqual([])
  })
})

describe('the seeds', () => {
  test('hold 1,000,000.00 in KES and in USD for each of three customers', async () => {
    const sandbox = await startTestSandbox()
    const { body } = await sandbox.get('/v1/wallets')
    expect(body.data.map((wallet: { id: string }) => wallet.id).sort()).toEqual(
      ['ada', 'ben', 'chi'].flatMap((name) => [`wallet_kes_${name}`, `wallet_usd_${name}`]).sort(),
    )
    for (const { balance } of body.data) {
      expect(balance).toEqual({ available: '1000000.00', pending: '0.00' })
    }
  })

  test('are byte-identical at each start with the same seed', async () => {
    const texts = []
    for (const seed of [7, 7]) {
      const sandbox = await startTestSandbox({ seed })
      texts.push(await (await fetch(`${sandbox.url}/_sandbox/seeds`)).text())
    }
    expect(texts[0]).toBe(texts[1])
    expect(JSON.parse(texts[0] as string)).toMatchObject({
      seed: 7,
      customers: ['cus_ada', 'cus_ben', 'cus_chi'],
    })
  })

  test('and the same calls give the same identifiers with a virtual clock, and others with another seed', async () => {
    const idFor = async (seed: number) => {
      const sandbox = await startTestSandbox({ seed })
      return (await sandbox.post('/v1/wallets', { owner: 'cus_ada', currency: 'EUR' })).body.id
    }
    const first = await idFor(3)
    expect(await idFor(3)).toBe(first)
    expect(await idFor(4)).not.toBe(first)
  })
})
