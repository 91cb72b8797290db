import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { PayloadError } from '../../src/errors.js'
import { isExact, isPlain, scanJson } from '../../src/event/json-scan.js'
import { camelizeKeys, Walk } from '../../src/event/normalize.js'
import { type ReadEvent, readEvent } from '../../src/event/parse.js'
import { runs } from '../fuzz-runs.js'
import { bytes, withData } from './bytes.js'
import { anyObject, number, tightObject } from './json-arbitrary.js'
import { numbersOf, readJson, repeatsOf, survives } from './json-oracle.js'

// A long search, or a busy machine, needs more time.
vi.setConfig({ testTimeout: 600_000 })

const document = fc.oneof(anyObject, tightObject)

/** The findings of the slow parser. */
function oracle(text: string) {
  const slow = readJson(text)
  const repeats = repeatsOf(slow)
  return { repeats, lost: numbersOf(slow).filter((literal) => !survives(literal)) }
}

/** Checks that the generator makes both kinds. Otherwise the test proves nothing. */
function isOften(found: Record<string, number>): void {
  for (const count of Object.values(found)) {
    expect(count).toBeGreaterThan(runs(10_000) / 50)
  }
}

const hasHugeNumber = (text: string) => oracle(text).lost.some((literal) => !Number.isFinite(Number(literal)))

describe('what JSON.parse hides', () => {
  it('is found wherever the slow parser finds it, in any object', () => {
    const found = { atTop: 0, below: 0, rounds: 0, nothing: 0 }
    fc.assert(
      fc.property(document, (text) => {
        const { repeats, lost } = oracle(text)
        const below = new Set(repeats.filter(({ length }) => length > 1).map((path) => path.join('.')))
        const atTop = repeats.some(({ length }) => length === 1)
        const scan = scanJson(text)
        expect(scan.repeatsAtTop).toBe(atTop)
        expect([...scan.repeatedKeys]).toEqual([...below].slice(0, 20))
        expect(scan.inexact.map(({ literal }) => literal)).toEqual(lost)
        if (atTop) {
          found.atTop++
        }
        if (below.size > 0) {
          found.below++
        }
        if (lost.length > 0) {
          found.rounds++
        }
        if (repeats.length === 0 && lost.length === 0) {
          found.nothing++
        }
      }),
      { numRuns: runs(10_000), examples: [['{"a\\\\":"a\\"b","a\\\\":{}}']] },
    )
    isOften(found)
  })

  it.each<[string, (text: string, walk: Walk) => boolean]>([
    ['the number of keys', (text, { keys }) => isPlain(bytes(text), keys)],
  ])('is never denied by %s', (_, denies) => {
    const found = { denied: 0, repeats: 0, rounds: 0 }
    fc.assert(
      fc.property(document, (text) => {
        const walk = new Walk()
        camelizeKeys(JSON.parse(text), walk, 1, false)
        const { repeats, lost } = oracle(text)
        if (repeats.length > 0) {
          found.repeats++
        }
        if (lost.length > 0) {
          found.rounds++
        }
        if (!denies(text, walk)) {
          return
        }
        found.denied++
        expect(repeats).toEqual([])
        expect(lost).toEqual([])
      }),
      { numRuns: runs(10_000) },
    )
    isOften(found)
  })

  it('reaches the operator, or the sender', () => {
    const found = { refused: 0, warned: 0, silent: 0 }
    const told = (data: string): ReadEvent | undefined => {
      try {
        return readEvent(withData(data), 'round')
      } catch (error) {
        if (!(error instanceof PayloadError)) {
          throw error
        }
        if (error.detail?.startsWith('two keys become ')) {
          return undefined
        }
        if (error.detail?.endsWith(' is too large for JavaScript, even rounded') && hasHugeNumber(data)) {
          return undefined
        }
        throw error
      }
    }
    fc.assert(
      fc.property(document, (text) => {
        // UTF-8 cannot encode a lone surrogate.
        const data = text.toWellFormed()
        const { repeats, lost } = oracle(data)
        const read = told(data)
        if (!read) {
          return
        }
        const twice = read.warnings.filter((warning) => warning.includes(' is given twice'))
        expect(twice.length > 0).toBe(repeats.length > 0)
        expect(read.warnings.some((warning) => warning.includes('was rounded'))).toBe(lost.length > 0)
        if (lost.length > 0) {
          found.refused++
          expect(() => readEvent(withData(data), 'refuse')).toThrow(/JavaScript cannot represent .+ exactly/s)
        }
        if (repeats.length > 0) {
          found.warned++
        }
        if (read.warnings.length === 0) {
          found.silent++
        }
      }),
      { numRuns: runs(10_000) },
    )
    isOften(found)
  })
})

describe('isExact', () => {
  it('agrees with exact arithmetic on integers', () => {
    const printed = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value))
    fc.assert(
      fc.property(fc.oneof(number, printed), (literal) => {
        expect(isExact(literal)).toBe(survives(literal))
      }),
      { numRuns: runs(50_000) },
    )
  })

  it('accepts every number that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isExact(JSON.stringify(value))).toBe(true)
      }),
      { numRuns: runs(50_000) },
    )
  })
})

describe('the time of a scan is linear in the text', () => {
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
    ['keys twice below a long one', () => `{"${'k'.repeat(100_000)}":[${repeat('{"a":1,"a":2},')}1]}`],
    ['objects in objects', () => `${'{"abc":'.repeat(30_000)}1e2${'}'.repeat(30_000)}`],
    ['lists in lists', () => `{"a":${'['.repeat(100_000)}1e2${']'.repeat(100_000)}}`],
  ])('%s', (_, make) => {
    const text = make()
    JSON.parse(text)
    const json = bytes(text)
    const startedAt = performance.now()
    isPlain(json, 0)
    scanJson(text)
    // Quadratic time would exceed this limit by far.
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})
