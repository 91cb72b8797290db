import { describe, expect, expectTypeOf, test } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { type Lifecycle, lifecycle } from '../../src/ordering/lifecycle.js'
import { randomNumbers } from '../event/random.js'

const graph = {
  pending: ['pending_approval', 'processing'],
  pending_approval: ['processing', 'rejected'],
  processing: ['settled', 'failed'],
  settled: ['reversed'],
  failed: [],
  rejected: [],
  reversed: [],
} as const

describe('lifecycle', () => {
  // Created in each test, because an error out here would fail no test.
  const made = () => lifecycle(graph)

  test.each([
    [undefined, 'pending', 'apply'],
    [null, 'reversed', 'apply'],
    ['pending', 'processing', 'apply'],
    ['pending', 'reversed', 'apply'],
    ['pending_approval', 'settled', 'apply'],
    ['settled', 'settled', 'same'],
    ['settled', 'pending', 'stale'],
    ['reversed', 'pending_approval', 'stale'],
    ['settled', 'failed', 'conflict'],
    ['failed', 'settled', 'conflict'],
    ['failed', 'reversed', 'conflict'],
    ['rejected', 'processing', 'conflict'],
    ['settled', 'refunded', 'unknown'],
    ['refunded', 'settled', 'unknown'],
    ['refunded', 'refunded', 'unknown'],
    [undefined, 'refunded', 'unknown'],
    ['', 'settled', 'unknown'],
    ['constructor', 'settled', 'unknown'],
    ['settled', '__proto__', 'unknown'],
  ] as const)('%s, then %s: %s', (current, incoming, verdict) => {
    expect(made()(current, incoming)).toBe(verdict)
  })

  test('lists the states from which a state applies', () => {
    const judge = made()
    expect(judge.states).toEqual(Object.keys(graph))
    expect(new Set(judge.predecessors('settled'))).toEqual(
      new Set(['pending', 'pending_approval', 'processing']),
    )
    expect(judge.predecessors('pending')).toEqual([])
    expect(judge.predecessors('refunded')).toEqual([])
  })

  test('is typed by the keys of its graph', () => {
    const judge = made()
    expectTypeOf(judge).toExtend<Lifecycle<keyof typeof graph>>()
    expectTypeOf(judge.states).toEqualTypeOf<readonly (keyof typeof graph)[]>()
    // @ts-expect-error a successor is misspelt
    expect(() => lifecycle({ pending: ['setled'], settled: [] })).toThrow(ConfigurationError)
  })

  test.each([
    ['a state that follows itself', { a: ['a'] }, 'a can follow itself'],
    ['a circle of two', { a: ['b'], b: ['a'] }, 'a can follow itself'],
    ['a circle behind a state', { start: ['a'], a: ['b'], b: ['c'], c: ['a'] }, 'a can follow itself'],
    ['a successor that is no state', { a: ['b'] }, 'b follows a but is not a state itself'],
    ['no state', {}, 'a lifecycle needs at least one state'],
  ])('rejects %s', (_, bad, why) => {
    const refused = { code: 'invalid_option', message: expect.stringContaining(why) }
    expect(() => lifecycle(bad as { a: 'a'[] })).toThrow(expect.objectContaining(refused))
  })

  test('accepts any name for a state', () => {
    const odd = lifecycle({ constructor: ['toString'], toString: ['∅'], '∅': [] })
    expect(odd('constructor', '∅')).toBe('apply')
    expect(odd('toString', 'constructor')).toBe('stale')
    expect(odd('hasOwnProperty', '∅')).toBe('unknown')
  })

  test('is fast for a graph with many paths', () => {
    const names = Array.from({ length: 200 }, (_, i) => `s${i}`)
    const dense = lifecycle(Object.fromEntries(names.map((name, i) => [name, names.slice(i + 1)])))
    expect(dense('s0', 's199')).toBe('apply')
    expect(dense.predecessors('s199')).toHaveLength(199)
  })

  test('agrees with a walk through any graph', () => {
    const random = randomNumbers(7)
    for (let round = 0; round < 300; round++) {
      const size = 1 + Math.floor(random() * 8)
      const names = Array.from({ length: size }, (_, i) => `s${i}`)
      const any: Record<string, string[]> = Object.fromEntries(
        names.map((name, i) => [name, names.filter((_, j) => j > i && random() < 0.3)]),
      )
      const reaches = (from: string, to: string): boolean =>
        (any[from] ?? []).some((next) => next === to || reaches(next, to))
      const each = lifecycle(any)
      for (const a of names) {
        for (const b of names) {
          const expected = a === b ? 'same' : reaches(a, b) ? 'apply' : reaches(b, a) ? 'stale' : 'conflict'
          expect(each(a, b)).toBe(expected)
        }
      }
    }
  })
})
