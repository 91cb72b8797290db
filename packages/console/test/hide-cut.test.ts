import { expect, it } from 'vitest'
import { hideCut } from '../src/views/hide-cut.js'

const fastestOf = (work: () => unknown, times = 5) =>
  Math.min(
    ...Array.from({ length: times }, () => {
      const from = performance.now()
      work()
      return performance.now() - from
    }),
  )

/** Compares at each place, as a person would. */
function hideSlowly(text: string, values: readonly string[]): string {
  return text.replace(/[^…]+/g, (part) => {
    for (let at = 0; at <= part.length - 4; at++) {
      if (values.some((value) => value.startsWith(part.slice(at)))) {
        return `${part.slice(0, at)}•••`
      }
    }
    return part
  })
}

it('hides the longest beginning of a value before each cut, in any text', () => {
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const word = (length: number, letters: string) =>
    Array.from({ length }, () => letters[random(letters.length)]).join('')
  let hidden = 0
  for (let round = 0; round < 2000; round++) {
    const values = Array.from({ length: 1 + random(3) }, () => word(4 + random(12), 'ab'))
    const text = `${word(random(60), 'ab…')}…`
    const shown = hideCut(text, values)
    expect([text, values, shown]).toEqual([text, values, hideSlowly(text, values)])
    hidden += shown === text ? 0 : 1
  }
  expect(hidden).toBeGreaterThan(500)
})

it.each([
  ['İİİİİİ no customer ADA LOVE…', ['Ada Lovelace'], 'İİİİİİ no customer •••…'],
  ['no customer ΟΔΥΣ…', ['Οδυσσεύς'], 'no customer •••…'],
  ['no customer 𝄞𝄞𝄞…', ['𝄞𝄞𝄞𝄞'], 'no customer •••…'],
])('hides all of a beginning in other letters: %s', (text, values, shown) => {
  expect(hideCut(text, values)).toBe(shown)
})

it('reads a text of one repeated character once', () => {
  const value = `${'a'.repeat(1_000_000)}b`
  const text = (length: number) => `${'a'.repeat(length)}c`
  const [short, long] = [2_000, 40_000].map((length) => fastestOf(() => hideCut(text(length), [value])))
  // A comparison at each place would take 400 times as long.
  expect(long).toBeLessThan(100 * (short as number) + 1)
})

it('reads no more of a value than the text can show, also in a text with many cuts', () => {
  const text = 'a…'.repeat(1000)
  const [short, long] = [4_000, 4_000_000].map((length) => {
    const value = `${'ab'.repeat(length / 2)}c`
    return fastestOf(() => hideCut(text, [value]))
  })
  expect(long).toBeLessThan(20 * (short as number) + 1)
})

it('hides a text as a whole where there are too many values for its length', () => {
  const values = Array.from({ length: 900 }, (_, i) => `aaaa${i}`)
  expect(hideCut(`${'aaaa '.repeat(2000)}…`, values)).toBe('•••')
})
