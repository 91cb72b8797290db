import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toDecimal } from '../src/bank/money.js'
import { Ids } from '../src/ids.js'

test('identifiers sort in the order of their making, also where the clock stands still or goes back', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 2, maxLength: 50 }), (times) => {
      let now = 0
      const ids = new Ids('seed', () => now)
      const made = times.map((time) => {
        now = 1_767_225_600_000 + time
        return ids.next('tr')
      })
      expect([...made].sort()).toEqual(made)
      expect(new Set(made).size).toBe(made.length)
    }),
  )
})

test('a kind of identifier does not change the others', () => {
  const make = (withRequests: boolean) => {
    const ids = new Ids('seed', () => 0)
    if (withRequests) {
      ids.next('req')
    }
    return ids.next('tr').slice(-12)
  }
  expect(make(true)).toBe(make(false))
})

test('minor units are written with two fraction digits', () => {
  const pairs = [
    [0, '0.00'],
    [1, '0.01'],
    [-5, '-0.05'],
    [1050, '10.50'],
    [-1050, '-10.50'],
    [999_999_999_999_999, '9999999999999.99'],
  ]
  for (const [minor, text] of pairs) {
    expect(toDecimal(minor as number)).toBe(text)
  }
})
