import { describe, expect, it } from 'vitest'
import { readEvent } from '../../src/event/parse.js'
import { bytes, camel, snake, verdict, withData } from './bytes.js'

const warningsOf = (body: Uint8Array) => readEvent(body, 'refuse').warnings

describe('a repeated top-level key', () => {
  const envelope = JSON.stringify(camel)
  const withExtra = (extra: string) => bytes(`{${extra},${envelope.slice(1)}`)

  it.each([
    ['id', '"id":"evt_1"'],
    ['id with another value', '"id":"evt_2"'],
    ['id in an escape', '"\\u0069d":"evt_2"'],
    ['id in an escape with capitals', '"i\\u0064":"evt_2"'],
    ['type', '"type":"x"'],
    ['data', '"data":{}'],
    ['createdAt', '"createdAt":"2020-01-01T00:00:00Z"'],
    ['an unknown key', '"extra":1,"extra":2'],
    ['a key with a slash, once escaped', '"a/b":1,"a\\/b":2'],
    ['a key with a quote', '"a\\"b":1,"a\\u0022b":2'],
    ['a key with a backslash', '"a\\\\b":1,"a\\u005cb":2'],
    ['a key that ends in a backslash, as another string seems to', '"a\\\\":"a\\"b","a\\\\":1'],
    ['a key with a quote, as other strings seem to have', '"a\\"b":"a\\\\","c":"x\\"a\\"b","a\\"b":1'],
    ['a key of nothing', '"":1,"":2'],
    ['__proto__', '"__proto__":1,"__proto__":2'],
    ['a key with white space before its colon', '"extra" :1,"extra"\n\t\r :2'],
    ['a key that is also a value', '"a":"id","id":"evt_1"'],
  ])('%s', (_, extra) => {
    expect(verdict(withExtra(extra))).toBe('invalid_json: a top-level key is given twice')
  })

  it.each([
    ['once at the top and once below', '"extra":{"id":"x"}'],
    ['twice below', '"extra":{"id":1,"id":2}'],
    ['as a value', '"extra":"id"'],
    ['as a value in an escape', '"extra":"\\u0069d"'],
    ['in a list', '"extra":["id","id"]'],
    ['within a string that looks like JSON', '"extra":"{\\"id\\":1,\\"id\\":2}"'],
    ['as the end of another key', '"not id":1'],
    ['as the end of another key, after a quote', '"\\"id":1'],
    ['in another case', '"ID":1,"Id":2'],
  ])('id is fine %s', (_, extra) => {
    expect(verdict(withExtra(extra))).toBe('event')
  })
})

describe('a repeated nested key', () => {
  const repeated = (place: string) => `${place} is given twice: the last value was taken`
  const read = (body: Uint8Array) => {
    const { event, warnings } = readEvent(body, 'refuse')
    return { data: event.data, warnings }
  }

  it.each<[string, string, object, string[]]>([
    ['in data', '{"a":1,"a":2}', { a: 2 }, ['data.a']],
    ['in data, however it is spaced', '{ "a" : 1 , "a" : 2 }', { a: 2 }, ['data.a']],
    ['in an escape', '{"a":1,"\\u0061":2}', { a: 2 }, ['data.a']],
    ['deep in lists', '{"a":[[{"b":[]},{"b":"x","b":"y"}]]}', { a: [[{ b: [] }, { b: 'y' }]] }, ['data.a.b']],
    ['as on the wire', '{"a_b":{"c_d":1,"c_d":2}}', { aB: { cD: 2 } }, ['data.a_b.c_d']],
    ['in metadata', '{"metadata":{"a_b":1,"a_b":2}}', { metadata: { a_b: 2 } }, ['data.metadata.a_b']],
    [
      'in two objects',
      '{"a":{"x":1,"x":2},"b":{"x":1,"x":2}}',
      { a: { x: 2 }, b: { x: 2 } },
      ['data.a.x', 'data.b.x'],
    ],
    [
      'beside numbers that an exponent could make up for',
      '{"a":1,"a":2,"b":1e9,"c":10e4}',
      { a: 2, b: 1e9, c: 1e5 },
      ['data.a'],
    ],
  ])('%s is warned about, and its last value taken', (_, text, data, places) => {
    expect(read(withData(text))).toEqual({ data, warnings: places.map(repeated) })
  })

  it('gives a warning in unknown fields too', () => {
    const body = bytes(`{"extra":{"a":1,"a":2},${JSON.stringify(snake).slice(1)}`)
    expect(read(body).warnings).toEqual([repeated('extra.a')])
  })

  it.each([
    ['as they came', camel],
    ['renamed', snake],
  ])('is not seen in what has none, %s', (_, envelope) => {
    for (const indent of [0, 1]) {
      expect(warningsOf(bytes(JSON.stringify(envelope, null, indent)))).toEqual([])
    }
  })

  it('is named in one line of bounded length', () => {
    const text = `{"a\\n\\u001b[31m":{"${'k'.repeat(5000)}":1,"${'k'.repeat(5000)}":2}}`
    const [warning = ''] = warningsOf(withData(text))
    expect(warning).toMatch(/^data\.a\ufffd\ufffd\[31m\.k+…$/)
    expect(warning.length).toBeLessThan(310)
  })

  it('is named in at most twenty warnings', () => {
    const many = (key: string) =>
      Array.from({ length: 100 }, (_, i) => `"k${i}":{${key}:1,${key}:2}`).join(',')
    expect(warningsOf(withData(`{${many('"a"')}}`))).toHaveLength(20)
    expect(warningsOf(withData(`{${many('"__proto__"')}}`))).toHaveLength(20)
  })
})
