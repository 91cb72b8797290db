import { describe, expect, it } from 'vitest'
import { ConfigurationError, PayloadError } from '../../src/errors.js'
import { parseEvent } from '../../src/event/parse.js'
import { bytes, camel, verdict, withData } from './bytes.js'

describe('bodies that are not an envelope', () => {
  const cases: [name: string, body: Uint8Array, verdict: string][] = [
    ['nothing', bytes(''), 'invalid_json'],
    ['white space', bytes(' \n'), 'invalid_json'],
    ['a word', bytes('hello'), 'invalid_json'],
    ['half an object', bytes('{"id":'), 'invalid_json'],
    ['two objects', bytes('{}{}'), 'invalid_json'],
    ['a trailing comma', bytes('{"a":1,}'), 'invalid_json'],
    ['single quotes', bytes("{'a':1}"), 'invalid_json'],
    ['a comment', bytes('{}//'), 'invalid_json'],
    ['NaN', bytes('{"a":NaN}'), 'invalid_json'],
    ['a control character in a string', bytes('{"a":"\u0001"}'), 'invalid_json'],
    ['a NUL behind', bytes(`${JSON.stringify(camel)}\0`), 'invalid_json'],
    ['a byte order mark', bytes(`\ufeff${JSON.stringify(camel)}`), 'invalid_json'],
    ['UTF-16', new Uint8Array(Buffer.from(JSON.stringify(camel), 'utf16le')), 'invalid_json'],
    ['a list', bytes('[]'), 'invalid_envelope: the body is not an object'],
    ['a list of an envelope', bytes(JSON.stringify([camel])), 'invalid_envelope: the body is not an object'],
    ['a string', bytes('"a"'), 'invalid_envelope: the body is not an object'],
    ['a number', bytes('1'), 'invalid_envelope: the body is not an object'],
    ['null', bytes('null'), 'invalid_envelope: the body is not an object'],
    ['an empty object', bytes('{}'), 'invalid_envelope: createdAt (or created_at) is missing'],
    ['a lone continuation byte', Uint8Array.of(0x80), 'invalid_encoding'],
    [
      'an overlong NUL',
      new Uint8Array(Buffer.concat([bytes('{"a":"'), Uint8Array.of(0xc0, 0x80), bytes('"}')])),
      'invalid_encoding',
    ],
    [
      'a surrogate in UTF-8',
      new Uint8Array(Buffer.concat([bytes('{"a":"'), Uint8Array.of(0xed, 0xa0, 0x80), bytes('"}')])),
      'invalid_encoding',
    ],
    ['a character cut in two', bytes('{"a":"\u{1f4b8}').subarray(0, -1), 'invalid_encoding'],
    ['Latin-1', new Uint8Array(Buffer.from('{"a":"\u00e9"}', 'latin1')), 'invalid_encoding'],
  ]
  it.each(cases)('%s', (_, body, expected) => {
    expect(verdict(body)).toBe(expected)
  })

  it('must be bytes or a string', () => {
    for (const body of [camel, undefined, null, new ArrayBuffer(4)]) {
      expect(() => parseEvent(body as never)).toThrow(ConfigurationError)
      expect(() => parseEvent(body as never)).toThrow(/^body_not_bytes: .* pass the raw body$/)
    }
  })

  it('is a string without lone surrogates, which UTF-8 cannot express', () => {
    expect(() => parseEvent('{"id":"\ud800"}')).toThrow(/^body_not_bytes: .* lone surrogates/)
  })

  it('are never quoted in the error', () => {
    for (const body of ['{"secret-pin":4321 oops', '{"secret-pin":"4321"}', '["secret-pin",4321]']) {
      try {
        parseEvent(bytes(body))
        expect.unreachable()
      } catch (error) {
        const { message, stack, cause } = error as PayloadError
        expect(error).toBeInstanceOf(PayloadError)
        expect(`${message}${stack}${cause}`).not.toMatch(/secret-pin|4321/)
      }
    }
  })
})

describe('text', () => {
  const dataOf = (text: string) => parseEvent(withData(text)).data

  it('is unchanged', () => {
    expect(
      dataOf('{"a":"\\u0000","b":"\\ud83d\\udcb8","c":"\\ud800","d":"Zo\u00eb \u{1f4b8}","e":"\\/"}'),
    ).toEqual({
      a: '\u0000',
      b: '\u{1f4b8}',
      c: '\ud800',
      d: 'Zo\u00eb \u{1f4b8}',
      e: '/',
    })
  })

  it('is not normalized', () => {
    expect(dataOf('{"a":"e\u0301","b":"\u00e9"}')).toEqual({ a: 'e\u0301', b: '\u00e9' })
  })
})
