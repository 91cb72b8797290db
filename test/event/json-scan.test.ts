import { describe, expect, it } from 'vitest'
import { isPlain, scanJson } from '../../src/event/json-scan.js'

const plain = (text: string) => isPlain(text, Object.keys(JSON.parse(text)))
const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}.":1`).join(',')}}`

describe('the shortcut is taken', () => {
  it.each([
    [
      'for an ordinary body',
      '{"id":"evt_1","createdAt":"2026-01-02T03:04:05.123456Z","data":{"amount":"10.00","rate":0.125}}',
    ],
    ['for fifteen digits', '{"a":123456789012345}'],
    ['for fifteen characters of a number', '{"a":12345678901.456}'],
    ['for letters around an e', '{"a":"1 e 2e e3 x1e","b":true,"c":null}'],
    ['for escapes that nothing else stands for', '{"a":"\\n\\"\\\\\\t"}'],
    ['for a key below that is none above', '{"a":{"b":1,"c":{"b":2}}}'],
    ['for a key that is the end of another', '{"a":1,"aa":2,"ba":3}'],
    ['for as many keys as are few', keys(32)],
    ['for none', '{}'],
  ])('%s', (_, text) => {
    expect(plain(text)).toBe(true)
    expect(scanJson(text, Object.keys(JSON.parse(text)))).toEqual({})
  })
})

describe('the shortcut is not taken', () => {
  it.each([
    ['for sixteen digits', '{"a":1234567890123456}'],
    ['for sixteen characters of a number', '{"a":12345678901.4567}'],
    ['for an exponent', '{"a":1e5}'],
    ['for a capital exponent', '{"a":1E5}'],
    ['for a negative exponent', '{"a":1e-5}'],
    ['for a positive exponent', '{"a":1e+5}'],
    ['for an escape of four digits', '{"a":"\\u0041"}'],
    ['for an escaped slash', '{"a":"\\/"}'],
    ['for a key that is also a value', '{"a":"a"}'],
    ['for a key that is also below', '{"a":{"a":1}}'],
    ['for a key twice', '{"a":1,"a":2}'],
    ['for a key with a backslash, which may read like the end of a string', '{"a\\\\":"a\\"b"}'],
    ['for a key that is written in an escape', '{"a\\n":1}'],
    ['for one key more than few', keys(33)],
  ])('%s', (_, text) => {
    expect(plain(text)).toBe(false)
  })
})
