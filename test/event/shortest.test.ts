import { describe, expect, it } from 'vitest'
import { camelizeKeys, Walk } from '../../src/event/normalize.js'
import { isWhole } from '../../src/event/shortest.js'

function walkOf(text: string): Walk {
  const walk = new Walk()
  camelizeKeys(JSON.parse(text), walk)
  return walk
}
const whole = (text: string) => isWhole(text, walkOf(text))

describe('the shortest JSON of a document', () => {
  it.each([
    '{}',
    '[]',
    '{"a":{}}',
    '{"a":[]}',
    '{"a":[[],{},""]}',
    '{"a":true}',
    '{"a":false}',
    '{"a":null}',
    '{"a":"","b":true,"c":false,"d":null}',
    '{"a":[true,false,null,"text","é\u{1f4b8}"],"":[{"b":[{"c":"d"}]}]}',
    '{"a_b":{"c_d":[{"e_f":"g_h"}]},"metadata":{"i_j":"k"}}',
    '{"__proto__":{"a":["b"]},"raw":[1]}',
    '[0,1,12,-1,10,100,-100,1200,123456789,12345678901,999999999999999]',
    '[0.5,-0.5,0.01,0.05,-0.012,1.5,12.25,1234.56789]',
    '[1e3,-1e3,12e3,5e3,125e3,1005e3,20001e3]',
  ])('%s is as long as it is', (text) => {
    expect(walkOf(text).shortest).toBe(text.length)
  })

  it.each(['0.001', '1e-3', '-0.0099', '1e15', '1e21', '-1e15', '5e-324', '1e400', '-1e400'])(
    'is not known for %s',
    (number) => {
      expect(walkOf(`{"a":${number}}`).shortest).toBeNaN()
      expect(whole(`{"a":${number}}`)).toBe(false)
      expect(whole(`{"a":[${number},1]}`)).toBe(false)
    },
  )
})

describe('the longest number', () => {
  it.each([
    ['{"a":"1234567890"}', 0],
    ['{"a":0}', 1],
    ['{"a":[1,-1234,12]}', 5],
    ['{"a":1234,"b":12.25,"c":12}', 5],
    ['{"a":[1],"b":{"c":12},"d":[[]]}', 2],
    ['{"a":1250000000000}', 5],
  ])('of %s has %i characters', (text, length) => {
    expect(walkOf(text).longestNumber).toBe(length)
  })
})

describe('a text is whole', () => {
  it.each([
    ['that is as short as can be', '{"a":{"b":"c"}}'],
    ['with four characters of white space', '{"a": {"b": "c"} }\n'],
    ['with numbers written longer than need be', '{"a":125000,"b":10.50}'],
    ['with a few escapes', '{"a":"\\n\\"\\/","b":"\\\\"}'],
    ['with a number of fifteen digits', '{"a":123456789012345}'],
    ['with a number of eleven digits and four more characters', '{"a":12345678901,"b":[1 ,\n2 ] }'],
  ])('%s', (_, text) => {
    expect(whole(text)).toBe(true)
  })

  it.each([
    ['with five characters of white space', '{"a": {"b": "c"} }\r\n'],
    ['that has dropped the shortest pair', '{"a":{"b":"c"},"":0,"":0}'],
    ['that has dropped the shortest pair below', '{"a":{"":0,"":1}}'],
    ['that has dropped it in escapes', '{"a":{"b":0,"\\u0062":1}}'],
    ['with a number of sixteen digits', '{"a":1234567890123456}'],
    ['with a number of fifteen digits and a space', '{"a": 123456789012345}'],
    ['with a number of twelve characters and four spaces', '{"a": 123456789012 , "b": 1}'],
    ['whose number was rounded', '{"a":123456789.1234567}'],
    ['whose number has become nothing', '{"a":1e-324}'],
    ['whose number has lost what would not show', '{"a":1.000000000000000001}'],
  ])('is not said of one %s', (_, text) => {
    expect(whole(text)).toBe(false)
  })
})
