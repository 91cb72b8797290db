import fc from 'fast-check'
import { expect, it } from 'vitest'
import { redact } from '../../page/src/event/redact.js'

it.each([
  ['a value', '{"data":{"phone":"+254"},"id":"e"}', ['data.phone'], '{"data":{"phone":"redacted"},"id":"e"}'],
  ['everything below', '{"a":{"b":{"c":1,"d":true}}}', ['a.b'], '{"a":{"b":{"c":0,"d":false}}}'],
  ['through a list', '{"a":[{"b":"x"},{"b":"y"}]}', ['a.b'], '{"a":[{"b":"redacted"},{"b":"redacted"}]}'],
  ['an escaped key', '{"\\u0061":"x"}', ['a'], '{"\\u0061":"redacted"}'],
  ['no longer name', '{"ab":"x","a":null}', ['a'], '{"ab":"x","a":null}'],
])('redacts %s', (_, text, paths, expected) => {
  expect(redact(text, paths)).toBe(expected)
})

it('keeps each digit of a number that JavaScript cannot represent', () => {
  expect(redact('{"a": 12345678901234567890.10, "b": "x"}', ['b'])).toBe(
    '{"a":12345678901234567890.10,"b":"redacted"}',
  )
})

it('changes nothing without a path, and keeps the shape with any', () => {
  fc.assert(
    fc.property(fc.json(), fc.array(fc.string()), (text, paths) => {
      expect(JSON.parse(redact(text, []))).toEqual(JSON.parse(text))
      const shape = (value: unknown): unknown =>
        typeof value === 'object' && value !== null
          ? Object.entries(value).map(([key, inner]) => [key, shape(inner)])
          : typeof value
      expect(shape(JSON.parse(redact(text, paths)))).toEqual(shape(JSON.parse(text)))
    }),
  )
})
