import { describe, expect, it } from 'vitest'

const throwing = (): never => {
  throw new Error('boom')
}

/** What a program in JavaScript passes by mistake, and what no option of this package takes. */
export const odd: readonly [name: string, make: () => unknown][] = [
  ['null', () => null],
  ['a symbol', () => Symbol('s')],
  ['a promise', () => Promise.resolve()],
  ['a list', () => []],
  ['a list with a hole', () => new Array(1)],
  ['a list of a name', () => ['open']],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 1n],
  ['an object without a prototype', () => Object.assign(Object.create(null), { z: 1 })],
  [
    'an object that cannot be read',
    () => ({
      get z(): never {
        return throwing()
      },
    }),
  ],
  ['a list of a symbol', () => [Symbol('s')]],
  ['a list of an object without a prototype', () => [Object.create(null)]],
  ['a text with a zero', () => '\0'],
  ['megabytes', () => 'x'.repeat(3_000_000)],
]

/** Values that throw as soon as a program looks into them. */
export const unreadable: readonly [name: string, make: () => unknown][] = [
  ['a proxy that throws', () => new Proxy({}, { get: throwing, ownKeys: throwing })],
  ['a proxy whose parts throw', () => new Proxy({ z: 1 }, { get: throwing })],
]

/** The place of an argument, how to call it with a value, and which of the values are valid there. */
export type Row = readonly [place: string, call: (value: never) => unknown, ...valid: string[]]

/** Calls each place with each odd value. Each call must throw or reject with a code, in a short message. */
export const describeOdd = (rows: readonly Row[]): void => describeValues(rows, odd)

/** As {@link describeOdd}, with values that cannot be read. */
export const describeUnreadable = (rows: readonly Row[]): void => describeValues(rows, unreadable)

function describeValues(rows: readonly Row[], values: typeof odd): void {
  const cases = rows
    .map(([place, call, ...valid]) => ({ place, call, valid }))
    .filter(({ valid }) => values.some(([name]) => !valid.includes(name)))
  describe.each(cases)('$place', ({ call, valid }) => {
    it.each(values.filter(([name]) => !valid.includes(name)))('rejects %s with a code', async (_, make) => {
      const failure = await (async () => call(make() as never))().then(
        () => 'nothing',
        (error: Error & { code?: string }) => error,
      )
      expect(failure).toMatchObject({
        code: expect.stringMatching(
          /^(?:(?:invalid|unknown|unsupported)_\w+|body_not_bytes|event_not_found|store_volatile)$/,
        ),
      })
      expect((failure as Error).message.length).toBeLessThan(1000)
    })
  })
}
