import { describe, expect, it } from 'vitest'
import { isValue, parseExact, partsOf, valuesAt } from '../src/views/json-values.js'

describe('the exact values of a body', () => {
  it('keep the digits of each number and the text of each string', () => {
    const text = '{"a":12345678901234567890,"b":"x\\"1","c":[1.50,-0,1e5,1E+5,true,false,null],"d":{}}'
    expect(parseExact(text)).toEqual({
      '"a': '12345678901234567890',
      '"b': '"x"1',
      '"c': ['1.50', '-0', '1e5', '1E+5', true, false, null],
      '"d': {},
    })
  })

  it.each([
    ['"7"', '"7'],
    ['"\\\\"', '"\\'],
    ['"\\u0041"', '"A'],
    ['""', '"'],
    [' 7 ', '7'],
    ['-7', '-7'],
  ])('of %s are %j', (text, value) => {
    expect(parseExact(text)).toBe(value)
  })

  it.each(['', '{', 'no JSON', '{"a":}'])('of %j, which is no JSON, are undefined', (text) => {
    expect(parseExact(text)).toBeUndefined()
  })
})

it.each([
  ['data.a', ['data', 'a']],
  ['data.a[].b', ['data', 'a', '', 'b']],
  ['data.a[12].b', ['data', 'a', '12', 'b']],
  ['data.a[x].b', ['data', 'a[x]', 'b']],
  ['a[0][1]', ['a', '0', '1']],
  ['[0]', ['', '0']],
])('the parts of %s are %j', (path, parts) => {
  expect(partsOf(path)).toEqual(parts)
})

describe('the values at a path', () => {
  const value = parseExact(
    '{"a":[{"b":1},{"b":"x"},{"c":2}],"list":[[1,2],[3]],"":{"e":4},"n":null,"s":"text"}',
  )
  it.each<[path: string, values: unknown[]]>([
    ['a..b', ['1', '"x']],
    ['a.1.b', ['"x']],
    ['a.2.b', []],
    ['a.3', []],
    ['list..', ['1', '2', '3']],
    ['list.0.1', ['2']],
    ['.e', ['4']],
    ['n', [null]],
    ['n.x', []],
    ['s.0', []],
    ['s.length', []],
    ['constructor', []],
    ['x.y', []],
  ])('%s are %j', (path, values) => {
    expect(valuesAt(value, path.split('.'))).toEqual(values)
  })

  it('do not exist in a value that is no object', () => {
    for (const other of [undefined, null, '"text', true]) {
      expect(valuesAt(other, ['a'])).toEqual([])
    }
    expect(valuesAt('7', [])).toEqual(['7'])
  })
})

describe('a value is found', () => {
  it.each<[json: string, wanted: string, isFound: boolean]>([
    ['"a"', 'a', true],
    ['"a"', 'A', false],
    ['"a"', '"a', false],
    ['""', '', true],
    ['"7"', '7', true],
    ['"7"', '7.0', false],
    ['true', 'true', true],
    ['true', 'false', false],
    ['false', 'false', true],
    ['null', 'null', false],
    ['[]', '', false],
    ['7', '7', true],
    ['7', '7.0', true],
    ['7', '70e-1', true],
    ['7', '0.7e1', true],
    ['7', '0.7E+1', true],
    ['7', '-7', false],
    ['7', '70', false],
    ['7', '0.7', false],
    ['70', '7e1', true],
    ['700', '7e2', true],
    ['0.07', '7e-2', true],
    ['0.070', '0.07', true],
    ['-7', '-7.00', true],
    ['0', '-0', true],
    ['0.00', '0e9', true],
    ['0', '', false],
    ['100', '1e2', true],
    ['1e2', '100', true],
    ['7', '7x', false],
    ['7', 'x7', false],
    ['7', '7e', false],
    ['7', '7.', false],
    ['7', ' 7', false],
    ['7', '+7', false],
    ['1e15', '1e0000000000000015', false],
    ['1e15', '1e000000000000015', true],
    ['12345678901234567890', '12345678901234567891', false],
  ])('%s by %j: %s', (json, wanted, isFound) => {
    expect(isValue(parseExact(json), wanted)).toBe(isFound)
  })
})
