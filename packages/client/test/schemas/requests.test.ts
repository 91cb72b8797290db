import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import {
  firstIssue,
  GivenAmount,
  GivenAmountAsNumber,
  IdempotencyKey,
  minorUnits,
  PageQuery,
  TransferRequest,
  WalletRequest,
  WebhookSubscriptionRequest,
} from '../../src/schemas/index.js'

/** The field that a request is rejected for, and why; undefined where it is accepted. */
function refusal(schema: z.ZodType, body: unknown) {
  const result = schema.safeParse(body)
  return result.success ? undefined : firstIssue(result.error)
}

const param = (schema: z.ZodType, body: unknown) => refusal(schema, body)?.param

const wallet = { owner: 'cus_ada', currency: 'KES' }
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

describe('a wallet', () => {
  test('has an owner and a currency', () => {
    expect(refusal(WalletRequest, wallet)).toBeUndefined()
  })

  test.each([undefined, 'ada', 'cus_', 'wallet_ada', 'cus_a b', 7, null, 'cus_ada\n'])(
    'has no owner %j',
    (owner) => {
      expect(param(WalletRequest, { ...wallet, owner })).toBe('owner')
    },
  )

  test.each([undefined, 'kes', 'XXQ', 'K', 'XXX', 'XTS', 'HRK', 404, 'KES '])(
    'has no currency %j',
    (currency) => {
      expect(param(WalletRequest, { ...wallet, currency })).toBe('currency')
    },
  )

  test('tells a missing field from one of the wrong type', () => {
    expect(refusal(WalletRequest, { currency: 'KES' })).toEqual({ param: 'owner', message: 'is required' })
    expect(refusal(WalletRequest, { ...wallet, owner: 7 })?.message).toBe(
      'must be a string of the shape cus_<id>',
    )
    expect(refusal(WalletRequest, { ...wallet, owner: 'ada' })?.message).toBe('must have the shape cus_<id>')
  })

  test('has no other field', () => {
    expect(refusal(WalletRequest, { ...wallet, colour: 'red' })).toEqual({
      param: 'colour',
      message: 'is not a field of this request',
    })
  })

  test.each([null, [], 'text', 7])('is an object, not %j', (body) => {
    expect(refusal(WalletRequest, body)).toEqual({ message: expect.any(String) })
  })
})

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

describe('a webhook subscription', () => {
  const subscription = { url: 'https://example.com/webhooks', events: ['transfer.settled'] }

  test.each([
    'https://example.com/webhooks',
    'http://127.0.0.1:3000/webhooks',
    'http://localhost:3000',
    'http://app.localhost',
    'http://[::1]:3000/',
    'http://0x7f.1/',
  ])('may go to %s', (url) => {
    expect(refusal(WebhookSubscriptionRequest, { ...subscription, url })).toBeUndefined()
  })

  test.each([
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://128.0.0.1',
    'http://120.0.0.1',
    'http://localhost.example.com',
    'ftp://example.com',
    'https://user:password@example.com',
    'https://user@example.com',
    'http://169.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    '/webhooks',
    'example.com',
    'javascript:alert(1)',
    '',
    7,
    undefined,
    `https://example.com/${'x'.repeat(2048)}`,
  ])('does not go to %s', (url) => {
    expect(param(WebhookSubscriptionRequest, { ...subscription, url })).toBe('url')
  })

  test('names event types, prefixes or all', () => {
    for (const events of [['*'], ['transfer.*'], ['transfer.settled', 'evidence.export_state.changed']]) {
      expect(refusal(WebhookSubscriptionRequest, { ...subscription, events })).toBeUndefined()
    }
    for (const events of [[], 'transfer.*', undefined, null]) {
      expect(param(WebhookSubscriptionRequest, { ...subscription, events })).toBe('events')
    }
    for (const type of [7, '', '*.settled', 'transfer.', 'a b', 'trans*']) {
      expect(param(WebhookSubscriptionRequest, { ...subscription, events: ['*', type] })).toBe('events[1]')
    }
  })

  test('has a description of at most 255 characters', () => {
    expect(
      param(WebhookSubscriptionRequest, { ...subscription, description: 'x'.repeat(255) }),
    ).toBeUndefined()
    expect(param(WebhookSubscriptionRequest, { ...subscription, description: 'x'.repeat(256) })).toBe(
      'description',
    )
  })

  test('has one of the two envelopes', () => {
    expect(refusal(WebhookSubscriptionRequest, { ...subscription, envelope: 'snake_case' })).toBeUndefined()
    expect(param(WebhookSubscriptionRequest, { ...subscription, envelope: 'snake' })).toBe('envelope')
  })
})

test('an idempotency key is 1 to 255 visible ASCII characters', () => {
  expect(IdempotencyKey.safeParse('a'.repeat(255)).success).toBe(true)
  for (const key of ['', 'a'.repeat(256), 'a b', 'ä', 'a\n']) {
    expect(IdempotencyKey.safeParse(key).success).toBe(false)
  }
})

test('a page has 1 to 100 items, and 20 by default', () => {
  expect(PageQuery.parse({})).toEqual({ limit: 20 })
  expect(PageQuery.parse({ limit: '100' }).limit).toBe(100)
  for (const limit of ['0', '101', '1.5', 'x', '-1', '']) {
    expect(param(PageQuery, { limit })).toBe('limit')
  }
})

test('minor units are counted without a float', () => {
  expect(minorUnits(GivenAmount.parse('9999999999999.99'))).toBe(999999999999999n)
  expect(minorUnits(GivenAmountAsNumber.parse(0.1))).toBe(10n)
  expect(minorUnits(GivenAmountAsNumber.parse(1050))).toBe(105000n)
})
