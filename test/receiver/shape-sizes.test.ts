import { describe, expect, test } from 'vitest'
import { shapeOf } from '../../src/operations/data-shape.js'
import { compareShapes, type ShapeChange } from '../../src/operations/shape-changes.js'

/** A sender chooses the keys of its events, and how many there are. */
const below = (name: string, fields: number) => ({
  [name]: Object.fromEntries(Array.from({ length: fields }, (_, i) => [`k${i}`, 1])),
})
const long = 'x'.repeat(5000)

const pathsOf = (change: ShapeChange) => ('before' in change ? [change.path, change.before] : [change.path])

/** The shortest of a few runs, because other work may interrupt one. */
function timeOf(run: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now()
    run()
    return performance.now() - started
  })
  return Math.min(...times)
}

describe.each([
  ['many fields below long keys', below(`${long}a`, 100), below(`${long}b`, 100)],
  ['a key of dots', {}, { ['.'.repeat(20_000)]: 1 }],
  ['a key of brackets', {}, { ['[]'.repeat(10_000)]: 1 }],
  ['long keys at each level', {}, JSON.parse(`{"${long}":`.repeat(12) + 1 + '}'.repeat(12))],
  ['long keys of one beginning', {}, { [`${long}a`]: 1, [`${long}b`]: 'b' }],
])('the changes of a shape with %s', (_, before, after) => {
  test('are short', () => {
    const changes = compareShapes(shapeOf(before), shapeOf(after))
    expect(changes.length).toBeGreaterThan(0)
    for (const path of changes.flatMap(pathsOf)) {
      expect(path.length).toBeLessThanOrEqual(1300)
    }
  })

  test('take a time that is in proportion to that of parsing the events', () => {
    const texts = [JSON.stringify(before), JSON.stringify(after)]
    const parsing = timeOf(() => texts.map((text) => JSON.parse(text)))
    const comparing = timeOf(() => compareShapes(shapeOf(before), shapeOf(after)))
    expect(comparing).toBeLessThan(100 * parsing)
  })
})

test('a shape holds a long key once, however many fields are below it', () => {
  const data = below('x'.repeat(100_000), 2000)
  const before = process.memoryUsage().heapUsed
  const shape = shapeOf(data)
  const held = process.memoryUsage().heapUsed - before
  expect(shape.type).toBe('object')
  expect(held).toBeLessThan(100 * JSON.stringify(data).length)
})

test('keys with one beginning are told apart, also where it is too long to show', () => {
  const [before, after] = [
    shapeOf({ [`${long}a`]: 1, [`${long}b`]: 'b' }),
    shapeOf({ [`${long}a`]: 'a', [`${long}b`]: 'b' }),
  ]
  expect(compareShapes(before, after)).toEqual([
    { change: 'type', path: expect.stringMatching(/^data\.x+…$/), before: 'number', type: 'string' },
  ])
})

test('a key with a dot is another one than two keys', () => {
  expect(compareShapes(shapeOf({ a: { b: 1 } }), shapeOf({ a: {}, 'a.b': 1 }))).toEqual([
    { change: 'missing', path: 'data.a.b', type: 'number' },
    { change: 'added', path: 'data.a.b', type: 'number' },
  ])
})
