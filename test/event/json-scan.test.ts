import { describe, expect, it } from 'vitest'
import { isPlain, scanJson } from '../../src/event/json-scan.js'
import { bytes } from './bytes.js'

const nothing = { repeatsAtTop: false, repeatedKeys: new Set(), inexact: [] }

describe('a plain body, which needs no scan', () => {
  it.each([
    ['in no keys', 0, '{}'],
    ['in an ordinary body', 4, '{"id":"evt_1","createdAt":"2026-01-02T03:04:05Z","data":{"amount":"10.00"}}'],
    ['with white space', 3, '{ "a" : 1 ,\n\t"b" :\r\n[ { "c" : null } ] }\n'],
    ['for a key below that is one above', 4, '{"a":{"b":1,"c":{"b":2}}}'],
    ['for colons in keys and in values', 2, '{":":"::","a:b":[":",":"]}'],
    ['for quotes in keys and in values', 2, '{"\\"":"\\":\\"","a":"\\"\\""}'],
    ['for backslashes before the end', 2, '{"\\\\":"\\\\","a":"\\\\\\":"}'],
    ['for colons in an escape', 1, '{"\\u003a":"\\u003A"}'],
    ['for characters of more bytes than one', 1, '{"é\u{1f4b8}":"\u2028:"}'],
    ['for fifteen digits', 2, '{"a":123456789012345,"b":[0,-12345678901234]}'],
    ['for fifteen characters of a number', 1, '{"a":12345678901.456}'],
    ['for many short numbers', 1, '{"a":[1,2.5,0.125,-3,1234567890,1234567890]}'],
    ['for digits and letters in strings', 2, '{"1e5":"1234567890123456 2e5","b":"2E5"}'],
    ['for letters beside numbers', 1, '{"a":[1,true,2,false,3,null]}'],
  ])('%s', (_, keys, text) => {
    expect(isPlain(bytes(text), keys)).toBe(true)
    expect(isPlain(bytes(text), keys - 1)).toBe(false)
    expect(isPlain(bytes(text), keys + 1)).toBe(false)
    expect(scanJson(text)).toEqual(nothing)
  })
})

describe('a body that needs a scan', () => {
  it.each([
    ['for sixteen digits', '{"a":1234567890123456}'],
    ['for a sign and fifteen digits', '{"a":-123456789012345}'],
    ['for sixteen characters of a number', '{"a":12345678901.4567}'],
    ['for sixteen characters in a list', '{"a":[1,"x",12345678901.4567]}'],
    ['for an exponent', '{"a":1e5}'],
    ['for a capital exponent', '{"a":1E5}'],
    ['for a negative exponent', '{"a":1e-5}'],
    ['for a positive exponent', '{"a":1e+5}'],
    ['for an exponent after a fraction', '{"a":1.5e5}'],
  ])('%s', (_, text) => {
    expect(isPlain(bytes(text), 1)).toBe(false)
  })
})

describe('a repeated key is found', () => {
  it.each<[string, string, string[]]>([
    ['below the top', '{"data":{"a":1,"a":2}}', ['data.a']],
    ['in a list', '{"data":{"items":[{"a":1},{"a":1,"a":2}]}}', ['data.items.a']],
    ['in a list of lists', '{"a":[[{"b":{}}],[{"c":[0]},{"c":1,"c":2}]]}', ['a.c']],
    ['after an object that has closed', '{"a":{"b":{"c":{}},"d":1,"d":2},"e":{"f":1,"f":2}}', ['a.d', 'e.f']],
    ['three times, once', '{"a":{"b":1,"b":2,"b":3}}', ['a.b']],
    ['in an escape', '{"a":{"b":1,"\\u0062":2}}', ['a.b']],
    ['with a slash, once escaped', '{"a":{"/":1,"\\/":2}}', ['a./']],
    ['with a quote', '{"a":{"\\"":1,"\\u0022":2}}', ['a."']],
    ['of nothing', '{"":{"":1,"":2}}', ['.']],
    ['__proto__', '{"a":{"__proto__":1,"__proto__":2}}', ['a.__proto__']],
    ['with white space before the colon', '{"a":{"b" :1,"b"\n\t\r :2}}', ['a.b']],
    [
      'in an object that is given twice',
      '{"a":{"b":{"c":1,"c":2},"b":{"d":1,"d":2}}}',
      ['a.b.c', 'a.b', 'a.b.d'],
    ],
  ])('%s', (_, text, places) => {
    expect(scanJson(text)).toEqual({ ...nothing, repeatedKeys: new Set(places) })
  })

  it('at the top, which is reported separately', () => {
    expect(scanJson('{"a":1,"a":2}')).toEqual({ ...nothing, repeatsAtTop: true })
  })

  it.each([
    ['in two objects', '{"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]}'],
    ['in an object and one within', '{"a":{"b":{"b":{"b":1}}}}'],
    ['as a value', '{"a":{"b":"b","c":["b","b"]}}'],
    ['in a string that looks like JSON', '{"a":"{\\"b\\":1,\\"b\\":2}"}'],
  ])('and none that is given once %s', (_, text) => {
    expect(scanJson(text)).toEqual(nothing)
  })

  it('in at most twenty places', () => {
    const twins = Array.from({ length: 30 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',')
    const { repeatedKeys } = scanJson(`{"a":{${twins}}}`)
    expect([...repeatedKeys]).toEqual(Array.from({ length: 20 }, (_, i) => `a.k${i}`))
  })

  it('in bounded time where one path is long and repeats', () => {
    const timeFor = (path: string) => {
      const text = `{"${path}":{${'"k":1,'.repeat(50_000)}"k":1}}`
      const took = Array.from({ length: 5 }, () => {
        const before = process.cpuUsage()
        scanJson(text)
        return process.cpuUsage(before).user
      })
      return Math.min(...took)
    }
    timeFor('warm')
    expect(timeFor('p'.repeat(300))).toBeLessThan(2 * timeFor('p') + 5000)
  })

  it('at the end of a long path, which is cut to 300 characters', () => {
    const text = `{"${'x'.repeat(200)}":{"${'y'.repeat(200)}":{"b":1,"b":2}}}`
    expect(scanJson(text).repeatedKeys).toEqual(new Set([`${'x'.repeat(200)}.${'y'.repeat(99)}b`]))
  })
})
