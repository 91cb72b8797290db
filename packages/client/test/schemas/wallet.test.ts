import { describe, expect, test } from 'vitest'
import { WalletRequest } from '../../src/schemas/index.js'
import { param, refusal } from './refusal.js'

const wallet = { owner: 'cus_ada', currency: 'KES' }

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

  test('names the first of several other fields', () => {
    expect(param(WalletRequest, { ...wallet, colour: 'red', size: 7 })).toBe('colour')
  })

  test.each([null, [], 'text', 7])('is an object, not %j', (body) => {
    expect(refusal(WalletRequest, body)).toEqual({ message: expect.any(String) })
  })
})
