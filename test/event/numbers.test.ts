import { describe, expect, it } from 'vitest'
import { isExact } from '../../src/event/json-scan.js'
import { readEvent, tryReadEvent } from '../../src/event/parse.js'
import { bytes, verdict, withData } from './bytes.js'

const exact = [
  '0',
  '-0',
  '0.0',
  '-0.000',
  '0e10',
  '0e-999',
  '-0E+5',
  '1',
  '-1',
  '10.50',
  '10.5',
  '0.1',
  '0.2',
  '0.30000000000000004',
  '1.0',
  '100',
  '1e2',
  '1E2',
  '1e+2',
  '1e-2',
  '1.50e1',
  '0.10',
  '123456789.01',
  '9007199254740991',
  '9007199254740992',
  '9007199254740994',
  '-9007199254740992',
  '30000000000000004',
  '0.000001',
  '1e-7',
  '0.0000001',
  '1e21',
  '1e22',
  '1e23',
  '1000000000000000000000',
  '1.7976931348623157e308',
  '17976931348623157e292',
  '5e-324',
  '2.2250738585072014e-308',
  '0.1000000000000000000000000',
  '00010'.replace(/^0+/, ''),
  '12345678901234.5',
  '1e-0',
  '100000000000000000000000e-22',
]

const inexact = [
  '9007199254740993',
  '-9007199254740993',
  '90071992547409930',
  '9007199254740993.0',
  '9007199254740992.5',
  '0.1000000000000000055511151231257827',
  '0.30000000000000000004',
  '3.0000000000000000004',
  '10.000000000000000001',
  '1.00000000000000000001e2',
  '1e400',
  '-1e400',
  '1e309',
  '1e-400',
  '-1e-400',
  '1e99999999999999999999',
  '1e-99999999999999999999',
  '1.7976931348623159e308',
  '3e-324',
  '123456789012345678',
  '0.12345678901234567890',
  '99999999999999999999.99',
  '2.2250738585072011e-308',
  '9007199254740993e0',
  '900719925474099300e-2',
  '4.9e-324',
]

describe('a number that JavaScript represents exactly', () => {
  it.each(exact)('%s', (literal) => {
    expect(isExact(literal)).toBe(true)
    for (const data of [`{"a":${literal}}`, `{"a":[1,${literal}]}`, `{"a":{"b":\n${literal}\t}}`]) {
      expect(verdict(withData(data))).toBe('event')
    }
    expect(readEvent(withData(`{"a":${literal}}`), 'refuse').event.data).toEqual({ a: Number(literal) })
  })
})

describe('a number that JavaScript cannot represent exactly', () => {
  it.each(inexact)('%s', (literal) => {
    expect(isExact(literal)).toBe(false)
    for (const [data, place] of [
      [`{"a":${literal}}`, 'data.a'],
      [`{"a":[1,${literal}]}`, 'data.a[1]'],
      [`{"a":{"b":\n${literal}\t}}`, 'data.a.b'],
      [`{"metadata":{"a":${literal}}}`, 'data.metadata.a'],
    ] as const) {
      expect(verdict(withData(data))).toBe(`invalid_data: JavaScript cannot represent ${place} exactly`)
    }
  })

  it('is also rejected outside data', () => {
    const body =
      '{"id":"evt_1","type":"x","createdAt":"2026-01-02T03:04:05Z","data":{},"sequence":9007199254740993}'
    expect(verdict(bytes(body))).toBe('invalid_data: JavaScript cannot represent sequence exactly')
  })

  it('is rounded with a warning if the option says so', () => {
    const { event, warnings } = readEvent(withData('{"a":9007199254740993,"b":1e-400}'), 'round')
    expect(event.data).toEqual({ a: 9007199254740992, b: 0 })
    const words = 'JavaScript cannot represent data.a exactly: it was rounded'
    expect(warnings).toEqual([`${words}, and so was 1 other number`])
    expect(readEvent(withData('{"a":9007199254740993}'), 'round').warnings).toEqual([words])
    const three = readEvent(withData('{"a":9007199254740993,"b":[1e-400,1e-400]}'), 'round')
    expect(three.warnings).toEqual([`${words}, and so were 2 other numbers`])
  })
})

describe('a number too large for JavaScript', () => {
  it.each(['1e400', '-1e400', '1e309', '1.7976931348623159e308'])(
    '%s is rejected, not made Infinity',
    (literal) => {
      expect(() => readEvent(withData(`{"a":1e-400,"b":${literal}}`), 'round')).toThrow(
        'data.b is too large for JavaScript, even rounded',
      )
    },
  )

  it('is named by its path, which is cut and has no control character', () => {
    const key = `\\n${'k'.repeat(500)}`
    const path = `data.\ufffd${'k'.repeat(194)}…`
    for (const [option, detail] of [
      ['round', `${path} is too large for JavaScript, even rounded`],
      ['refuse', `JavaScript cannot represent ${path} exactly`],
    ] as const) {
      expect(tryReadEvent(withData(`{"${key}":1e400}`), option)).toMatchObject({ detail })
    }
  })

  it('has no path if the last value of a key given twice is another one', () => {
    expect(tryReadEvent(withData('{"a":{"b":1e400,"b":1}}'), 'round')).toMatchObject({
      detail: 'a number is too large for JavaScript, even rounded',
    })
  })
})

describe('digits that are not a number', () => {
  it.each([
    ['a string', '{"a":"9007199254740993"}'],
    ['a string with an exponent', '{"a":"1e400"}'],
    ['a key', '{"9007199254740993":1}'],
    ['a string after an escaped quote', '{"a":"\\"9007199254740993"}'],
    ['a string after an escaped backslash', '{"a":"\\\\","b":"9007199254740993"}'],
    ['a string within a list', '["9007199254740993"]'.replace(/^/, '{"a":').concat('}')],
  ])('%s', (_, data) => {
    expect(verdict(withData(data))).toBe('event')
  })
})
