import { expect, it } from 'vitest'
import { exactJson } from '../../src/operations/exact-json.js'

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

it.each([null, 'text', '', true, false, 0, -1.5, [], {}, [1, [2, { a: null }]], { a: { b: [] } }])(
  'copies %j',
  (value) => {
    const copy = exactJson(value, 'data')
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
    if (typeof value === 'object' && value !== null) {
      expect(copy).not.toBe(value)
    }
  },
)

it('leaves out what is undefined, and keeps each key', () => {
  expect(JSON.stringify(exactJson({ a: undefined, b: 1 }, 'data'))).toBe('{"b":1}')
  const evil = '{"__proto__":{"a":1},"constructor":2}'
  expect(JSON.stringify(exactJson(JSON.parse(evil), 'data'))).toBe(evil)
  expect(JSON.stringify(exactJson(Object.create(null, { a: { value: 1, enumerable: true } }), 'data'))).toBe(
    '{"a":1}',
  )
})

it.each<[unknown, string]>([
  [undefined, 'data is a undefined, which JSON cannot hold'],
  [Number.NaN, 'data is NaN, which JSON cannot hold'],
  [{ a: Number.POSITIVE_INFINITY }, 'data.a is Infinity, which JSON cannot hold'],
  [[1, [() => {}]], 'data[1][0] is a function, which JSON cannot hold'],
  [{ a: [7n] }, 'data.a[0] is a bigint, which JSON cannot hold'],
  [[undefined], 'data[0] is a undefined, which JSON cannot hold'],
  [{ a: new Map() }, 'data.a is an object of a class, which JSON cannot hold'],
  [{ a: [-0] }, 'data.a[0] is -0, which JSON cannot hold'],
  [{ a: { [Symbol('b')]: 1 } }, 'data.a has a symbol as a name, or a property that is not enumerable'],
  [Object.defineProperty({}, 'a', { value: 1 }), 'data has a symbol as a name, or a property that is not'],
  [{ a: Object.assign([1], { b: 2 }) }, 'data.a is a list with a property of its own'],
  [new Date(0), 'data is an object of a class, which JSON cannot hold'],
])('rejects %o', (value, message) => {
  expect(() => exactJson(value, 'data')).toThrow(`invalid_option: ${message}`)
})

it('rejects what contains itself or is too deep, in a line of bounded length', () => {
  const circle: unknown[] = []
  circle.push({ circle })
  expect(() => exactJson(circle, 'data')).toThrow('data[0].circle contains itself, or is too deep')
  const twice = { a: 1 }
  expect(JSON.stringify(exactJson([twice, twice], 'data'))).toBe('[{"a":1},{"a":1}]')
  expect(JSON.stringify(exactJson(nested(500), 'data'))).toBe(JSON.stringify(nested(500)))
  const place = `data${'[0]'.repeat(500)}`.slice(0, 200)
  const message = `invalid_option: ${place}… contains itself, or is too deep`
  expect(() => exactJson(nested(501), 'data')).toThrow(expect.objectContaining({ message }))
})
