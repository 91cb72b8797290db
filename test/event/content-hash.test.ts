import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentHash } from '../../src/event/content-hash.js'
import { readEvent } from '../../src/event/parse.js'
import { sortKeys } from '../../src/event/sort-keys.js'
import { runs } from '../fuzz-runs.js'
import { bytes } from './bytes.js'

const hashOf = (body: string) => contentHash(readEvent(bytes(body), 'round'))

const camel = (data: string, type = 'x') =>
  `{"id":"evt_1","type":${JSON.stringify(type)},"createdAt":"2026-01-02T03:04:05Z","data":${data}}`
const snake = (data: string) =>
  `{"id":"evt_1","type":"x","created_at":"2026-01-02T03:04:05Z","product":"money","data":${data}}`

/** Different texts of one event. */
const same: [name: string, one: string, other: string][] = [
  ['white space', camel('{"a":1,"b":[1,2]}'), camel(' { "a" : 1 ,\n"b":[ 1,\t2 ] }')],
  ['key order', camel('{"a":{"c":1,"d":2},"b":0}'), camel('{"b":0,"a":{"d":2,"c":1}}')],
  ['the order of keys that are whole numbers', camel('{"10":1,"9":2,"a":3}'), camel('{"a":3,"9":2,"10":1}')],
  [
    'envelope form',
    camel('{"transferId":"tr_1","aB":[{"cD":1}]}'),
    snake('{"a_b":[{"c_d":1}],"transfer_id":"tr_1"}'),
  ],
  [
    'metadata in both envelope forms',
    camel('{"metadata":{"order_id":1}}'),
    snake('{"metadata":{"order_id":1}}'),
  ],
  ['escapes', camel('{"a":"é\\n/😀"}'), camel('{"\\u0061":"\\u00e9\\u000a\\/\\ud83d\\ude00"}')],
  ['the form of a number', camel('{"a":100,"b":0.5,"c":0}'), camel('{"a":1e2,"b":5.0E-1,"c":-0}')],
  ['a key given twice', camel('{"a":{"b":1,"b":2}}'), camel('{"a":{"b":2}}')],
  ['a __proto__ key, which is left out', camel('{"a":1}'), camel('{"__proto__":{"b":1},"a":1}')],
  [
    'inexact numbers in another key order',
    camel('{"a":1e-400,"b":1e-401}'),
    camel('{"b":1e-401,"a":1e-400}'),
  ],
  [
    'inexact numbers in both envelope forms',
    camel('{"aB":9007199254740993}'),
    snake('{"a_b":9007199254740993}'),
  ],
]

/** Events that differ. */
const different: [name: string, one: string, other: string][] = [
  ['a value', camel('{"a":1}'), camel('{"a":2}')],
  ['the type', camel('{}', 'x'), camel('{}', 'y')],
  ['type and data that make the same text', camel('{"a":1}', 'x'), camel('{"a":1}', 'x1{1:a1;')],
  ['a key', camel('{"a":1}'), camel('{"b":1}')],
  ['an absent key and null', camel('{}'), camel('{"a":null}')],
  ['a number and its text', camel('{"a":1}'), camel('{"a":"1"}')],
  ['null and its text', camel('{"a":null}'), camel('{"a":"null"}')],
  ['true and false', camel('{"a":true}'), camel('{"a":false}')],
  ['the order of a list', camel('{"a":[1,2]}'), camel('{"a":[2,1]}')],
  ['a list in a list', camel('{"a":[[1],2]}'), camel('{"a":[[1,2]]}')],
  ['an empty list and an empty object', camel('{"a":[]}'), camel('{"a":{}}')],
  ['where an object ends', camel('{"a":{"b":1},"c":2}'), camel('{"a":{"b":1,"c":2}}')],
  ['where a string ends', camel('{"a":"x","b":"y"}'), camel('{"a":"x1:b1:y"}')],
  ['an empty string and none', camel('{"a":[""]}'), camel('{"a":[]}')],
  ['the case of a letter', camel('{"a":"x"}'), camel('{"a":"X"}')],
  ['accents that look alike', camel('{"a":"\\u00e9"}'), camel('{"a":"e\\u0301"}')],
  ['lone surrogates', camel('{"a":"\\ud800"}'), camel('{"a":"\\ud801"}')],
  ['a lone surrogate and its replacement', camel('{"a":"\\ud800"}'), camel('{"a":"\\ufffd"}')],
  ['the keys of metadata', camel('{"metadata":{"order_id":1}}'), camel('{"metadata":{"orderId":1}}')],
  ['numbers that round to one', camel('{"a":9007199254740993}'), camel('{"a":9007199254740992}')],
  ['inexact numbers that round to one', camel('{"a":1e-400}'), camel('{"a":1e-401}')],
  ['inexact numbers that change places', camel('{"a":1e-400,"b":1e-401}'), camel('{"a":1e-401,"b":1e-400}')],
  ['an inexact number and its text', camel('{"a":1e-400}'), camel('{"a":"1e-400"}')],
  ['an inexact number and its text with a zero', camel('{"a":1e-400}'), camel('{"a":"\\u00001e-400"}')],
  ...['1e-400', '\\u00001e-400'].map((text): [string, string, string] => [
    `an inexact number and the text ${text} beside another number`,
    camel('{"a":1e-400,"b":1e-400}'),
    camel(`{"a":"${text}","b":1e-400}`),
  ]),
]

describe('the content hash', () => {
  it('is 64 hex digits', async () => {
    expect(await hashOf(camel('{}'))).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each(same)('does not depend on %s', async (_, one, other) => {
    expect(await hashOf(one)).toBe(await hashOf(other))
  })

  it.each(different)('depends on %s', async (_, one, other) => {
    expect(await hashOf(one)).not.toBe(await hashOf(other))
  })

  it('does not depend on the order of many keys', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `"k${n}":${n}`)
    const one = camel(`{${keys.join()}}`)
    expect(await hashOf(camel(`{${keys.reverse().join()}}`))).toBe(await hashOf(one))
  })

  it('sorts few keys and many as sort does', () => {
    const keys = fc.array(fc.string({ unit: 'binary', maxLength: 4 }), { maxLength: 40 })
    const property = fc.property(keys, (list) => {
      expect(sortKeys([...list])).toEqual([...list].sort())
    })
    fc.assert(property, { numRuns: runs(2000) })
  })

  it('ignores the rest of the envelope', async () => {
    const body = camel('{"a":1}')
    const other = body.replace('evt_1', 'evt_2').replace('03:04:05', '03:04:06').replace('{', '{"new":1,')
    expect(await hashOf(other)).toBe(await hashOf(body))
  })
})

it('the content hash stays the same in later versions, because it is stored', async () => {
  const text = '[1:x{1:a[1;2;]1:b{}1:c1:d1:ntrue;}]'
  expect(await hashOf(camel('{"a":[1,2],"b":{},"c":"d","n":true}'))).toBe(
    createHash('sha256').update(text).digest('hex'),
  )
})
