import { describe, expect, test } from 'vitest'
import { shapeA, shapeB, startTestSandbox, type TestSandbox } from '../rig.js'

async function refusal(sandbox: TestSandbox, body: unknown) {
  const answer = await sandbox.post('/v1/transfers', body)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  return [answer.status, answer.body.code, answer.body.param]
}

const to = (changes: object) => ({ destination: { ...shapeA().destination, ...changes } })

describe('POST /v1/transfers in shape A, whose destination is an object', () => {
  test('creates a pending transfer that reads give back', async () => {
    const sandbox = await startTestSandbox()
    const metadata = { reference: 'order 1042' }
    const created = await sandbox.post('/v1/transfers', shapeA('sim_settle', { metadata }))
    expect(created.status).toBe(201)
    expect(created.body.id).toMatch(/^tr_[0-9A-Z]{26}$/)
    expect(created.body).toMatchObject({
      object: 'transfer',
      status: 'pending',
      ledgerState: 'pending',
      rail: 'sim_settle',
      ...shapeA(),
      amountMinor: 1050,
      metadata,
    })
    expect((await sandbox.get(`/v1/transfers/${created.body.id}`)).body).toEqual(created.body)
  })

  test.each([
    ['an unknown wallet', { source: 'wallet_kes_zed' }, 'wallet_not_found', 'source'],
    ['a malformed source', { source: 'ada' }, 'invalid_request', 'source'],
    ['no source', { source: undefined }, 'invalid_request', 'source'],
    ['an unknown destination type', to({ type: 'pigeon' }), 'unknown_destination_type', 'destination.type'],
    ['no destination type', to({ type: undefined }), 'invalid_request', 'destination.type'],
    ['an unknown network', to({ network: 'sim_nope' }), 'unknown_network', 'destination.network'],
    ['no network', to({ network: undefined }), 'invalid_request', 'destination.network'],
    ['no phone for mobile_money', to({ phone: undefined }), 'invalid_request', 'destination.phone'],
    ['a national phone number', to({ phone: '0712345678' }), 'invalid_request', 'destination.phone'],
    [
      'a phone number with a leading zero',
      to({ phone: '+0712345678' }),
      'invalid_request',
      'destination.phone',
    ],
    [
      'a phone number of 16 digits',
      to({ phone: '+1234567890123456' }),
      'invalid_request',
      'destination.phone',
    ],
    ['a phone number with letters', to({ phone: '+2547CALLME' }), 'invalid_request', 'destination.phone'],
    ['no currency', { currency: undefined }, 'invalid_request', 'currency'],
    ['an unknown currency', { currency: 'XXQ' }, 'invalid_request', 'currency'],
    ['another currency than the wallet', { currency: 'USD' }, 'currency_mismatch', 'currency'],
    ['nested metadata', { metadata: { a: { b: 'c' } } }, 'invalid_request', 'metadata.a'],
    ['a number in the metadata', { metadata: { a: 1 } }, 'invalid_request', 'metadata.a'],
    [
      '51 keys of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, key) => [`k${key}`, 'v'])) },
      'invalid_request',
      'metadata',
    ],
  ])('rejects %s', async (_, changes, code, param) => {
    const sandbox = await startTestSandbox()
    expect(await refusal(sandbox, shapeA('sim_settle', changes))).toEqual([422, code, param])
  })

  test.each([
    '10',
    '10.5',
    '10.505',
    '1e2',
    '-1.00',
    '010.00',
    '0.00',
    '',
    ' 1.00',
    '10000000000000.00',
    10.5,
    null,
  ])('requires amount to be a positive string with two fraction digits: %j is 422', async (amount) => {
    const sandbox = await startTestSandbox()
    const answer = await refusal(sandbox, shapeA('sim_settle', { amount }))
    expect(answer).toEqual([422, 'invalid_request', 'amount'])
  })
})

describe('POST /v1/transfers in shape B, whose destination is a wallet', () => {
  test('echoes the amount as the number that was given', async () => {
    const sandbox = await startTestSandbox()
    const { status, body } = await sandbox.post('/v1/transfers', shapeB())
    expect([status, body.amount, body.amountMinor, body.rail]).toEqual([201, 10.5, 1050, 'sim_settle'])
  })

  test.each([
    ['the source as destination', { destination: 'wallet_kes_ada' }, 'same_wallet', 'destination'],
    ['an unknown wallet', { destination: 'wallet_kes_zed' }, 'wallet_not_found', 'destination'],
    ['a wallet in another currency', { destination: 'wallet_usd_ben' }, 'currency_mismatch', 'currency'],
    ['no rail', { rail: undefined }, 'invalid_request', 'rail'],
    ['an unknown rail', { rail: 'sim_nope' }, 'unknown_rail', 'rail'],
  ])('rejects %s', async (_, changes, code, param) => {
    const sandbox = await startTestSandbox()
    expect(await refusal(sandbox, shapeB('sim_settle', changes))).toEqual([422, code, param])
  })

  test.each([
    '"10.50"',
    '0',
    '-1',
    '1e400',
    '0.30000000000000004',
    '10.505',
    '1e21',
    '10000000000000',
    'null',
    'true',
  ])(
    'requires amount to be a positive number with at most two fraction digits: %s is 422',
    async (amount) => {
      const sandbox = await startTestSandbox()
      const text = JSON.stringify(shapeB()).replace('10.5', amount)
      expect(await refusal(sandbox, text)).toEqual([422, 'invalid_request', 'amount'])
    },
  )

  test.each([
    ['10', 1000],
    ['1e2', 10_000],
    ['0.3', 30],
    ['0.07', 7],
    ['1.10', 110],
    ['999999.99', 99_999_999],
  ])('reads %s exactly as %i minor units', async (amount, minor) => {
    const sandbox = await startTestSandbox()
    const { status, body } = await sandbox.post(
      '/v1/transfers',
      JSON.stringify(shapeB()).replace('10.5', amount),
    )
    expect([status, body.amountMinor]).toEqual([201, minor])
  })
})

describe('a mixture of the two shapes names the field that does not belong', () => {
  test.each([
    ['an object with a rail', { ...shapeA(), rail: 'sim_settle' }, 'rail'],
    ['an object with a number', { ...shapeA(), amount: 10.5 }, 'amount'],
    ['an object with a rail and a number', { ...shapeA(), rail: 'sim_settle', amount: 10.5 }, 'amount'],
    ['a wallet without a rail', { ...shapeB(), rail: undefined }, 'rail'],
    ['a wallet with a string', { ...shapeB(), amount: '10.50' }, 'amount'],
    ['a wallet with metadata', { ...shapeB(), metadata: {} }, 'metadata'],
    ['neither', { ...shapeB(), destination: 7 }, 'destination'],
    ['nothing at all', {}, 'destination'],
  ])('%s', async (_, body, param) => {
    const sandbox = await startTestSandbox()
    expect(await refusal(sandbox, body)).toEqual([422, 'invalid_request', param])
  })
})

describe('the balance', () => {
  test('reserves the amount while a transfer is under way, and moves it when it settles', async () => {
    const sandbox = await startTestSandbox()
    const balanceOf = async (name: string) =>
      (await sandbox.get(`/v1/wallets/wallet_kes_${name}/balance`)).body
    await sandbox.post('/v1/transfers', shapeB())
    expect(await balanceOf('ada')).toEqual({ available: '999989.50', pending: '10.50' })
    expect(await balanceOf('ben')).toEqual({ available: '1000000.00', pending: '0.00' })
    await sandbox.advance({ seconds: 1 })
    expect(await balanceOf('ada')).toEqual({ available: '999989.50', pending: '0.00' })
    expect(await balanceOf('ben')).toEqual({ available: '1000010.50', pending: '0.00' })
  })

  test('rejects a transfer above what is available, with what is reserved taken off', async () => {
    const sandbox = await startTestSandbox()
    expect((await sandbox.post('/v1/transfers', shapeB('sim_stuck', { amount: 999_999.99 }))).status).toBe(
      201,
    )
    expect(await refusal(sandbox, shapeB('sim_settle', { amount: 0.02 }))).toEqual([
      422,
      'insufficient_funds',
      'amount',
    ])
    expect((await sandbox.post('/v1/transfers', shapeB('sim_settle', { amount: 0.01 }))).status).toBe(201)
  })
})
