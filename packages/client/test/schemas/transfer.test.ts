import { describe, expect, test } from 'vitest'
import { GivenAmount, GivenAmountAsNumber, minorUnits, TransferRequest } from '../../src/schemas/index.js'
import { param, refusal } from './refusal.js'

const outside = {
  source: 'wallet_kes_ada',
  destination: { type: 'mobile_money', network: 'sim_settle', phone: '+254712345678' },
  amount: '10.50',
  currency: 'KES',
}

const between = {
  source: 'wallet_kes_ada',
  destination: 'wallet_kes_ben',
  amount: 10.5,
  currency: 'KES',
  rail: 'sim_settle',
}

describe('a transfer of shape A', () => {
  test('is accepted as it is, with or without metadata', () => {
    expect(TransferRequest.parse(outside)).toEqual(outside)
    const metadata = { reference: 'order 1042' }
    expect(TransferRequest.parse({ ...outside, metadata })).toEqual({ ...outside, metadata })
  })

  test.each([
    '10',
    '10.5',
    '10.505',
    '1e2',
    '-1.00',
    '010.00',
    '0.00',
    10.5,
    '10000000000000.00',
    '',
    ' 1.00',
    '1.00\n',
    undefined,
  ])('has no amount %j', (amount) => {
    expect(param(TransferRequest, { ...outside, amount })).toBe('amount')
  })

  test.each(['0.01', '1.00', '9999999999999.99'])('may have the amount %j', (amount) => {
    expect(refusal(TransferRequest, { ...outside, amount })).toBeUndefined()
  })

  test.each(['0712345678', '+0712345678', '+1234567890123456', '+25471234567a', '+1', ''])(
    'has no phone %j',
    (phone) => {
      const destination = { ...outside.destination, phone }
      expect(param(TransferRequest, { ...outside, destination })).toBe('destination.phone')
    },
  )

  test('needs a phone for mobile money and for nothing else', () => {
    const mobile = { type: 'mobile_money', network: 'sim_settle' }
    expect(refusal(TransferRequest, { ...outside, destination: mobile })).toEqual({
      param: 'destination.phone',
      message: 'is required for mobile_money',
    })
    const bank = { type: 'bank_account', network: 'sim_settle' }
    expect(refusal(TransferRequest, { ...outside, destination: bank })).toBeUndefined()
  })

  test('needs a type and a network', () => {
    expect(param(TransferRequest, { ...outside, destination: { network: 'x' } })).toBe('destination.type')
    expect(param(TransferRequest, { ...outside, destination: { type: 'bank_account' } })).toBe(
      'destination.network',
    )
  })

  test('has metadata of strings within bounds', () => {
    const of = (metadata: unknown) => param(TransferRequest, { ...outside, metadata })
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))
    expect(of(keys(50))).toBeUndefined()
    expect(of(keys(51))).toBe('metadata')
    expect(of({ a: { b: 'c' } })).toBe('metadata.a')
    expect(of({ a: 1 })).toBe('metadata.a')
    expect(of({ a: 'x'.repeat(501) })).toBe('metadata.a')
    expect(of({ ['k'.repeat(41)]: 'x' })).toMatch(/^metadata/)
    expect(of('text')).toBe('metadata')
    expect(of(null)).toBe('metadata')
  })
})

describe('a transfer of shape B', () => {
  test('is accepted as it is', () => {
    expect(TransferRequest.parse(between)).toEqual(between)
  })

  test.each([
    '10.50',
    0,
    -1,
    0.1 + 0.2,
    10.505,
    1e-7,
    1e21,
    1e13,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    undefined,
  ])('has no amount %j', (amount) => {
    expect(param(TransferRequest, { ...between, amount })).toBe('amount')
  })

  test.each([0.01, 0.3, 1050, 9999999999999.99])('may have the amount %j', (amount) => {
    expect(refusal(TransferRequest, { ...between, amount })).toBeUndefined()
  })
})

describe('the destination decides the shape', () => {
  const { rail: _, ...withoutRail } = between
  test.each([
    ['an object with a rail', { ...outside, rail: 'sim_settle' }, 'rail'],
    ['an object with a number', { ...outside, amount: 10.5 }, 'amount'],
    ['an object without a network', { ...outside, destination: { type: 'x' } }, 'destination.network'],
    ['a wallet without a rail', withoutRail, 'rail'],
    ['a wallet with a string', { ...between, amount: '10.50' }, 'amount'],
    ['a wallet with metadata', { ...between, metadata: {} }, 'metadata'],
    ['a wallet of another shape', { ...between, destination: 'tr_1' }, 'destination'],
    ['no destination', { ...between, destination: undefined }, 'destination'],
    ['a list', { ...between, destination: [] }, 'destination'],
    ['null', { ...between, destination: null }, 'destination'],
    ['a number', { ...between, destination: 7 }, 'destination'],
  ])('%s is rejected with the field that does not belong', (_case, body, expected) => {
    expect(param(TransferRequest, body)).toBe(expected)
  })

  test('a missing rail is reported as missing', () => {
    expect(refusal(TransferRequest, withoutRail)).toEqual({ param: 'rail', message: 'is required' })
  })
})

test('minor units are counted without a float', () => {
  expect(minorUnits(GivenAmount.parse('9999999999999.99'))).toBe(999999999999999n)
  expect(minorUnits(GivenAmountAsNumber.parse(0.1))).toBe(10n)
  expect(minorUnits(GivenAmountAsNumber.parse(1050))).toBe(105000n)
})
