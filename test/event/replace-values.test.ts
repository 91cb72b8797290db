import fc from 'fast-check'
import { expect, it } from 'vitest'
import { replaceValues } from '../../src/event/replace-values.js'

it.each([
  ['{"id":"a"}', '{"id":"b"}'],
  ['{ "id" :\n"a"\t, "x" : [ {"id":"a"} ] }', '{ "id" :\n"b"\t, "x" : [ {"id":"a"} ] }'],
  ['{"x":{"id":"a","id":1e400},"\\u0069d":"a,}"}', '{"x":{"id":"a","id":1e400},"\\u0069d":"b"}'],
  ['{"n":12345678901234567891.10,"id":{"a":["}"]},"m":-0}', '{"n":12345678901234567891.10,"id":"b","m":-0}'],
  ['{"ID":1,"\\"id":2,"id\\\\":3}', '{"ID":1,"\\"id":2,"id\\\\":3}'],
  ['{}', '{}'],
])('%s becomes %s', (json, expected) => {
  expect(replaceValues(json, { id: 'b' })).toBe(expected)
})

it('a value with the pattern of a replacement is written as it is', () => {
  expect(replaceValues('{"id":"$&"}', { id: "$'$&" })).toBe('{"id":"$\'$&"}')
})

it('changes the value of each name in any object, and nothing else', () => {
  const objects = fc.dictionary(fc.oneof(fc.constantFrom('id', 'data'), fc.string()), fc.jsonValue())
  fc.assert(
    fc.property(objects, fc.jsonValue(), fc.constantFrom(0, 1), (object, data, indent) => {
      const before = { ...object, id: 1, data: [2] }
      const after = JSON.parse(replaceValues(JSON.stringify(before, undefined, indent), { id: 'b', data }))
      expect(after).toEqual(JSON.parse(JSON.stringify({ ...before, id: 'b', data })))
    }),
  )
})
