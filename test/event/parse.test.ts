import { describe, expect, it } from 'vitest'
import { ConfigurationError, PayloadError } from '../../src/errors.js'
import { parseEvent, readEvent } from '../../src/event/parse.js'
import { bytes, camel, snake, verdict, withData } from './bytes.js'

const omit = (source: object, name: string) =>
  Object.fromEntries(Object.entries(source).filter(([key]) => key !== name))

const warningsOf = (body: Uint8Array) => readEvent(body, 'refuse').warnings

describe('the two envelopes', () => {
  it('give the same event, except for fields that only one of them has', () => {
    const first = parseEvent(bytes(JSON.stringify(camel)))
    const second = parseEvent(bytes(JSON.stringify(snake)))
    const { data, createdAt, type, id } = camel
    expect(first).toEqual({
      id,
      type,
      createdAt,
      data,
      environment: 'sandbox',
      representation: 'camelCase',
      raw: first.raw,
    })
    expect(second).toEqual({
      id,
      type,
      createdAt,
      data,
      product: 'mobile_money',
      representation: 'snake_case',
      raw: second.raw,
    })
  })

  it('keep the exact bytes', () => {
    const body = bytes(` ${JSON.stringify(camel)}\r\n`)
    expect(parseEvent(body).raw).toBe(body)
  })

  it.each<[name: string, envelope: object, verdict: string]>([
    ['id missing', omit(camel, 'id'), 'invalid_envelope: id'],
    ['type missing', omit(camel, 'type'), 'invalid_envelope: type'],
    ['data missing', omit(camel, 'data'), 'invalid_envelope: data'],
    ['createdAt missing', omit(camel, 'createdAt'), 'invalid_envelope: neither of createdAt and created_at'],
    ['environment missing, which is optional', omit(camel, 'environment'), 'event'],
    ['id missing', omit(snake, 'id'), 'invalid_envelope: id'],
    ['type missing', omit(snake, 'type'), 'invalid_envelope: type'],
    ['data missing', omit(snake, 'data'), 'invalid_envelope: data'],
    [
      'created_at missing',
      omit(snake, 'created_at'),
      'invalid_envelope: neither of createdAt and created_at',
    ],
    ['product missing, which is optional', omit(snake, 'product'), 'event'],
    [
      'both timestamps',
      { ...camel, created_at: camel.createdAt },
      'invalid_envelope: two keys become createdAt',
    ],
    ['both, one null', { ...camel, created_at: null }, 'invalid_envelope: two keys become createdAt'],
    ['several missing', { createdAt: camel.createdAt, data: {} }, 'invalid_envelope: id, type'],
    ['id a number', { ...camel, id: 1 }, 'invalid_envelope: id'],
    ['id null', { ...camel, id: null }, 'invalid_envelope: id'],
    ['type a number', { ...camel, type: 1 }, 'invalid_envelope: type'],
    ['type null', { ...snake, type: null }, 'invalid_envelope: type'],
    ['createdAt a number', { ...camel, createdAt: 1700000000 }, 'invalid_envelope: createdAt'],
    ['createdAt null', { ...camel, createdAt: null }, 'invalid_envelope: createdAt'],
    ['created_at a number', { ...snake, created_at: 1700000000 }, 'invalid_envelope: created_at'],
    ['environment a number', { ...camel, environment: 1 }, 'invalid_envelope: environment'],
    ['environment null', { ...camel, environment: null }, 'invalid_envelope: environment'],
    ['product a number', { ...snake, product: 1 }, 'invalid_envelope: product'],
    ['data null', { ...camel, data: null }, 'invalid_envelope: data'],
    ['data a list', { ...camel, data: [] }, 'invalid_envelope: data'],
    ['data a string', { ...camel, data: '{}' }, 'invalid_envelope: data'],
    ['data a number', { ...snake, data: 1 }, 'invalid_envelope: data'],
    ['data true', { ...snake, data: true }, 'invalid_envelope: data'],
    ['data empty', { ...snake, data: {} }, 'event'],
    ['each carrying what the other does', { ...camel, product: 'p' }, 'event'],
    ['each carrying what the other does', { ...snake, environment: 'e' }, 'event'],
  ])('%s', (_, envelope, expected) => {
    expect(verdict(envelope)).toBe(expected)
  })
})

describe('ids', () => {
  const camelId = (id: unknown) => verdict({ ...camel, id })
  const snakeId = (id: unknown) => verdict({ ...snake, id })

  it.each(['evt_1', 'evt_A-z_9', 'evt__', `evt_${'x'.repeat(128)}`])('camelCase accepts %j', (id) => {
    expect(camelId(id)).toBe('event')
  })

  it.each([
    '',
    'evt_',
    'evt1',
    '1',
    'EVT_1',
    ' evt_1',
    'evt_1 ',
    'evt_1\n',
    'evt_a.b',
    'evt_a b',
    'evt_é',
    'evt_a\u0000',
    'xevt_1',
    `evt_${'x'.repeat(129)}`,
  ])('camelCase refuses %j', (id) => {
    expect(camelId(id)).toBe('invalid_envelope: id')
  })

  it.each([
    '1',
    'evt_1',
    'a:b',
    'a b',
    'é',
    '\u{1f4b8}',
    '__proto__',
    'constructor',
    'x'.repeat(255),
    '\u{1f4b8}'.repeat(255),
  ])('snake_case takes %j', (id) => {
    expect(snakeId(id)).toBe('event')
  })

  it.each([
    '',
    '\u0000',
    'a\n',
    'a\u001b[31m',
    '\u007f',
    '\u0085',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\ud800',
    '\udc00\ud800',
    'x'.repeat(256),
  ])('snake_case refuses %j', (id) => {
    expect(snakeId(id)).toBe('invalid_envelope: id')
  })
})

describe('types', () => {
  it.each(['evidence.exported', 'constructor', '__proto__', 'hasOwnProperty', 'a b', 'é', 'x'.repeat(255)])(
    '%j is one',
    (type) => {
      expect(parseEvent(bytes(JSON.stringify({ ...camel, type }))).type).toBe(type)
    },
  )

  it.each(['', 'a\u0000b', 'a\nb', '\ud83d', 'x'.repeat(256)])('%j is invalid', (type) => {
    expect(verdict({ ...camel, type })).toBe('invalid_envelope: type')
  })
})

describe('createdAt', () => {
  const at = (createdAt: string) => [
    verdict({ ...camel, createdAt }),
    verdict({ ...snake, created_at: createdAt }),
  ]

  it.each([
    '2026-01-02T03:04:05Z',
    '2024-02-29T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-01-02T03:04:05-00:00',
    '2026-01-02T03:04:05+03:00',
    '2026-01-02T03:04:05-11:30',
  ])('may be %s', (text) => {
    expect(at(text)).toEqual(['event', 'event'])
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('may have %d digits of a second', (digits) => {
    const text = `2026-01-02T03:04:05.${'123456789'.slice(0, digits)}Z`
    expect(at(text)).toEqual(['event', 'event'])
    expect(parseEvent(bytes(JSON.stringify({ ...camel, createdAt: text }))).createdAt).toBe(text)
  })

  it.each([
    '',
    '2026-01-02',
    '2026-01-02T03:04:05',
    '2026-01-02T03:04Z',
    '2026-01-02 03:04:05Z',
    '2026-01-02t03:04:05z',
    '2026-01-02T03:04:05z',
    '2026-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:00Z',
    '2026-01-02T03:04:61Z',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04:05+3',
    '2026-01-02T03:04:05+0300',
    '2026-01-02T03:04:05+25:00',
    '2026-01-02T03:04:05Z\n',
    ' 2026-01-02T03:04:05Z',
    '1700000000',
    '26-01-02T03:04:05Z',
    '+002026-01-02T03:04:05Z',
    '2026-1-2T03:04:05Z',
    'Fri, 02 Jan 2026 03:04:05 GMT',
    `2026-01-02T03:04:05.${'0'.repeat(100)}Z`,
  ])('may not be %j', (text) => {
    expect(at(text)).toEqual(['invalid_envelope: createdAt', 'invalid_envelope: created_at'])
  })

  it('may have an offset from UTC, with a warning', () => {
    const warned = (createdAt: string) => warningsOf(bytes(JSON.stringify({ ...camel, createdAt })))
    for (const offset of ['+03:00', '-11:30', '+00:30']) {
      expect(warned(`2026-01-02T03:04:05${offset}`)).toEqual(['createdAt is not in UTC'])
    }
    for (const offset of ['Z', '.5Z', '+00:00', '-00:00']) {
      expect(warned(`2026-01-02T03:04:05${offset}`)).toEqual([])
    }
  })
})

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
    ['an empty object', bytes('{}'), 'invalid_envelope: neither of createdAt and created_at'],
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

  it('must be bytes', () => {
    for (const body of [JSON.stringify(camel), camel, undefined, null, new ArrayBuffer(4)]) {
      expect(() => parseEvent(body as never)).toThrow(ConfigurationError)
      expect(() => parseEvent(body as never)).toThrow(/^body_not_bytes: parseEvent takes the raw bytes/)
    }
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

describe('nesting', () => {
  /** A body with this many levels. `data` is the second one. */
  const nested = (levels: number, open: string, close: string) =>
    withData(`{"a":${open.repeat(levels - 2)}1${close.repeat(levels - 2)}}`)

  it.each([
    ['objects', '{"a":', '}'],
    ['lists', '[', ']'],
  ])('of %s is read to 64 levels', (_, open, close) => {
    expect(verdict(nested(64, open, close))).toBe('event')
    expect(verdict(nested(65, open, close))).toBe('invalid_json: nested deeper than 64 levels')
    expect(verdict(nested(10_000, open, close))).toBe('invalid_json: nested deeper than 64 levels')
  })

  it('is refused in every field', () => {
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
    expect(verdict(bytes(`{"extra":${deep},${JSON.stringify(camel).slice(1)}`))).toMatch(/^invalid_json/)
    expect(verdict(bytes(`{"metadata":{"a":${deep}},${JSON.stringify(camel).slice(1)}`))).toMatch(
      /^invalid_json/,
    )
    expect(verdict(bytes(`{"__proto__":${deep},${JSON.stringify(camel).slice(1)}`))).toMatch(/^invalid_json/)
    expect(verdict(withData(`{"a":1,"a":${'{"b":'.repeat(10_000)}1${'}'.repeat(10_000)}}`))).toMatch(
      /^invalid_json/,
    )
    expect(verdict(withData(`{"a":${'{"b":'.repeat(10_000)}1${'}'.repeat(10_000)},"a":1}`))).toBe('event')
    expect(verdict(bytes(deep))).toBe('invalid_envelope: the body is not an object')
    expect(verdict(bytes(`{"a":${deep}}`))).toMatch(/^invalid_/)
    expect(verdict(bytes('['.repeat(1_000_000)))).toBe('invalid_json')
    expect(verdict(bytes('{"a":'.repeat(200_000)))).toBe('invalid_json')
  })
})

describe('unknown fields', () => {
  it('are kept at the top, in camelCase', () => {
    const event = parseEvent(
      bytes(JSON.stringify({ ...snake, api_version: 2, links: { self_url: 'x' }, apiKey: null })),
    )
    expect(event).toMatchObject({ apiVersion: 2, links: { selfUrl: 'x' }, apiKey: null })
    expect(event).not.toHaveProperty('api_version')
  })

  it('of data are named with their path from data', () => {
    expect(verdict({ ...camel, data: { x: { a_b: 1, aB: 2 } } })).toBe(
      'invalid_envelope: two keys become data.x.aB',
    )
  })

  it('are kept in data', () => {
    const data = { ...snake.data, extra_field: [{ inner_field: 1 }, 'text', null] }
    expect(parseEvent(bytes(JSON.stringify({ ...snake, data }))).data).toMatchObject({
      extraField: [{ innerField: 1 }, 'text', null],
    })
  })

  it('cannot replace the fields of an event', () => {
    const { event, warnings } = readEvent(
      bytes(
        `{"raw":"fake","representation":"fake","__proto__":{"polluted":1},${JSON.stringify(camel).slice(1)}`,
      ),
      'refuse',
    )
    expect(event.raw).toBeInstanceOf(Uint8Array)
    expect(event.representation).toBe('camelCase')
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
    expect((event as { polluted?: unknown }).polluted).toBeUndefined()
    expect(warnings.sort()).toEqual(
      ['__proto__', 'raw', 'representation'].map((name) => `${name} was left out`),
    )
  })

  it('are own properties of the document, even if all objects inherit others', () => {
    const prototype = Object.prototype as { polluted?: unknown; another_one?: unknown }
    prototype.polluted = { a: 1 }
    prototype.another_one = 1
    try {
      for (const envelope of [camel, snake]) {
        const { event, warnings } = readEvent(bytes(JSON.stringify(envelope)), 'refuse')
        expect(Object.keys(event)).not.toContain('polluted')
        expect(Object.keys(event)).not.toContain('anotherOne')
        expect(Object.keys(event.data as object)).toEqual(Object.keys(camel.data))
        expect(warnings).toEqual([])
      }
      expect(warningsOf(withData('{"a":1,"a":2}'))).toHaveLength(1)
    } finally {
      delete prototype.polluted
      delete prototype.another_one
    }
  })

  it('may have names such as constructor', () => {
    const event = parseEvent(
      bytes(JSON.stringify({ ...camel, constructor: 1, toString: 2, hasOwnProperty: 3 })),
    )
    expect(Object.hasOwn(event, 'constructor')).toBe(true)
    expect(event).toMatchObject({ constructor: 1, toString: 2, hasOwnProperty: 3 })
  })

  it('may not become one', () => {
    expect(verdict({ ...camel, api_version: 1, apiVersion: 2 })).toBe(
      'invalid_envelope: two keys become apiVersion',
    )
    expect(verdict({ ...camel, a_b: 1, aB: 2 })).toBe('invalid_envelope: two keys become aB')
  })

  it('keep their keys below a top-level metadata too', () => {
    const event = parseEvent(bytes(JSON.stringify({ ...snake, metadata: { order_id: { line_no: 1 } } })))
    expect(event).toMatchObject({ metadata: { order_id: { line_no: 1 } } })
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
