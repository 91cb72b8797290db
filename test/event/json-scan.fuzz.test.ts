import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { isExact, scanJson } from '../../src/event/json-scan.js'
import { runs } from '../fuzz-runs.js'
import { numbersOf, readJson, repeatsKey, survives } from './json-oracle.js'

// A long search, or a busy machine, takes its time.
vi.setConfig({ testTimeout: 600_000 })

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength })
const whole = fc.oneof(
  digits(22).map((text) => text.replace(/^0+(?=\d)/, '')),
  fc.constantFrom('0', '9007199254740991', '9007199254740993', '9999999999999999', '10000000000000000'),
)
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.option(digits(22), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), fc.oneof(digits(2), digits(4))), {
      nil: undefined,
    }),
    fc.nat(3),
  )
  .map(([sign, integer, part, power, shape]) =>
    [
      sign,
      integer,
      part !== undefined && shape > 0 ? `.${part}` : '',
      power !== undefined && shape > 1 ? power.join('') : '',
    ].join(''),
  )

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 2 })
/** A string in any of the ways JSON lets it be written. */
const written = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.infiniteStream(fc.nat(7))).map(([characters, dice]) => {
    let result = '"'
    for (let i = 0; i < characters.length; i++) {
      const character = characters.charAt(i)
      const choice = dice.next().value ?? 0
      const code = characters.charCodeAt(i).toString(16).padStart(4, '0')
      const mustEscape = character === '"' || character === '\\' || character < ' '
      if (choice === 0) result += `\\u${code}`
      else if (choice === 1) result += `\\u${code.toUpperCase()}`
      else if (character === '/' && choice < 5) result += '\\/'
      else if (mustEscape) result += JSON.stringify(character).slice(1, -1)
      else result += character
    }
    return `${result}"`
  })
const key = written(
  fc.oneof(
    fc.constantFrom(
      'id',
      'type',
      'a',
      'b',
      '',
      'a/b',
      '/',
      'a"b',
      '"',
      '\\',
      'a\\',
      '\n',
      '__proto__',
      'é',
      '\u{1f4b8}',
      '1',
      ':',
      ',',
      '{',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  ),
)
const { document } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(number, number, key, fc.constantFrom('true', 'false', 'null', '{}', '[]', '""', '0')),
    tie('list'),
    tie('document'),
  ),
  list: fc
    .array(fc.tuple(space, tie('value') as fc.Arbitrary<string>, space), { maxLength: 4 })
    .map((items) => `[${items.map((each) => each.join('')).join(',')}]`),
  document: fc
    .array(fc.tuple(space, key, space, tie('value') as fc.Arbitrary<string>, space), { maxLength: 5 })
    .map((pairs) => `{${pairs.map(([a, k, b, v, c]) => `${a}${k}${b}:${v}${c}`).join(',')}}`),
})) as { document: fc.Arbitrary<string> }

describe('scanJson', () => {
  it('finds what a slow reader finds, in any JSON object', () => {
    const found = { repeats: 0, rounds: 0, nothing: 0 }
    fc.assert(
      fc.property(document, (text) => {
        const slow = readJson(text)
        const lost = numbersOf(slow).filter((literal) => !survives(literal))
        const scan = scanJson(text, Object.keys(JSON.parse(text)))
        expect(scan.duplicateKey !== undefined).toBe(repeatsKey(slow))
        expect(scan.inexactNumber).toBe(lost[0])
        if (scan.duplicateKey !== undefined) found.repeats++
        if (scan.inexactNumber !== undefined) found.rounds++
        if (scan.duplicateKey === undefined && scan.inexactNumber === undefined) found.nothing++
      }),
      { numRuns: runs(10_000), examples: [['{"a\\\\":"a\\"b","a\\\\":{}}']] },
    )
    // A generator that makes one kind only would prove nothing.
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(runs(10_000) / 50)
  })

  it('knows an exact number as arithmetic on whole numbers does', () => {
    const printed = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value))
    fc.assert(
      fc.property(fc.oneof(number, printed), (literal) => {
        expect(isExact(literal)).toBe(survives(literal))
      }),
      { numRuns: runs(50_000) },
    )
  })

  it('lets everything through that JSON.stringify writes of doubles', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isExact(JSON.stringify(value))).toBe(true)
      }),
      { numRuns: runs(50_000) },
    )
  })
})

describe('the time scanJson takes grows with the text and no faster', () => {
  const repeat = (unit: string) => unit.repeat(200_000 / unit.length)
  it.each<[string, () => string]>([
    ['many keys at the top', () => `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join(',')}}`],
    [
      'many keys that are also values',
      () =>
        `{${Array.from({ length: 30 }, (_, i) => `"k${i}":"k${i}"`).join(',')},"a":[${'"k0",'.repeat(30_000)}1]}`,
    ],
    ['a run of backslashes', () => `{"a":"${repeat('\\\\')}\\u0041"}`],
    ['a run of escaped quotes', () => `{"a":"${repeat('\\"')}\\u0041"}`],
    ['a run of quotes', () => `{"a":[${'"",'.repeat(60_000)}1e2]}`],
    ['white space', () => `{"a":1e2,"b"${repeat(' ')}:"c"${repeat(' ')}}`],
    ['one long number', () => `{"a":${'1'.repeat(200_000)}}`],
    ['zeros inside a number', () => `{"a":1${'0'.repeat(200_000)}1}`],
    ['zeros after the point', () => `{"a":0.${'0'.repeat(200_000)}1}`],
    ['many numbers', () => `{"a":[${repeat('12345678901234567,')}1]}`],
    ['one long key', () => `{"${'k'.repeat(200_000)}":1e2}`],
  ])('%s', (_, make) => {
    const text = make()
    const keys = Object.keys(JSON.parse(text))
    const startedAt = performance.now()
    scanJson(text, keys)
    // Linear: some tens of milliseconds. Quadratic: minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})
