import { describe, expect, it } from 'vitest'
import { parseEvent, readEvent } from '../../src/event/parse.js'
import { bytes, camel, snake, verdict } from './bytes.js'

const omit = (source: object, name: string) =>
  Object.fromEntries(Object.entries(source).filter(([key]) => key !== name))

const warningsOf = (body: Uint8Array) => readEvent(body, 'refuse').warnings

const textRule = 'must be a text of 1 to 255 printable characters'
const optionalRule = 'must be a text, if it is given'
const timeRule = 'must be a time such as 2026-01-02T03:04:05Z'
const noId = 'invalid_envelope: id must be evt_ and 1 to 128 letters, digits, _ or -'
const noSnakeId = `invalid_envelope: id ${textRule}`
const noType = `invalid_envelope: type ${textRule}`
const noTime = `invalid_envelope: createdAt ${timeRule}`
const noSnakeTime = `invalid_envelope: created_at ${timeRule}`

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

  it('are read from a string as from its bytes in UTF-8', () => {
    const body = ` ${JSON.stringify({ ...camel, data: { note: 'é\u{1f4b8}' } })}\r\n`
    expect(parseEvent(body)).toEqual(parseEvent(bytes(body)))
    expect(parseEvent(body).raw).toEqual(bytes(body))
  })

  it('keep the exact bytes, in memory of their own', () => {
    const body = Buffer.from(` ${JSON.stringify(camel)}\r\n`)
    const { raw } = parseEvent(body)
    expect(raw).toEqual(body)
    body.fill(32)
    expect(raw).not.toEqual(body)
  })

  it.each<[name: string, envelope: object, verdict: string]>([
    ['id missing', omit(camel, 'id'), noId],
    ['type missing', omit(camel, 'type'), noType],
    ['data missing', omit(camel, 'data'), 'invalid_envelope: data must be an object'],
    ['createdAt missing', omit(camel, 'createdAt'), 'invalid_envelope: createdAt (or created_at) is missing'],
    ['environment missing, which is optional', omit(camel, 'environment'), 'event'],
    ['id missing', omit(snake, 'id'), noSnakeId],
    ['type missing', omit(snake, 'type'), noType],
    ['data missing', omit(snake, 'data'), 'invalid_envelope: data must be an object'],
    [
      'created_at missing',
      omit(snake, 'created_at'),
      'invalid_envelope: createdAt (or created_at) is missing',
    ],
    ['product missing, which is optional', omit(snake, 'product'), 'event'],
    [
      'both timestamps',
      { ...camel, created_at: camel.createdAt },
      'invalid_envelope: two keys become createdAt',
    ],
    ['both, one null', { ...camel, created_at: null }, 'invalid_envelope: two keys become createdAt'],
    ['several missing', { createdAt: camel.createdAt, data: {} }, `${noId}, type ${textRule}`],
    ['id a number', { ...camel, id: 1 }, noId],
    ['id null', { ...camel, id: null }, noId],
    ['type a number', { ...camel, type: 1 }, noType],
    ['type null', { ...snake, type: null }, noType],
    ['createdAt a number', { ...camel, createdAt: 1700000000 }, noTime],
    ['createdAt null', { ...camel, createdAt: null }, noTime],
    ['created_at a number', { ...snake, created_at: 1700000000 }, noSnakeTime],
    ['environment a number', { ...camel, environment: 1 }, `invalid_envelope: environment ${optionalRule}`],
    ['environment null', { ...camel, environment: null }, `invalid_envelope: environment ${optionalRule}`],
    ['product a number', { ...snake, product: 1 }, `invalid_envelope: product ${optionalRule}`],
    ['data null', { ...camel, data: null }, 'invalid_envelope: data must be an object'],
    ['data a list', { ...camel, data: [] }, 'invalid_envelope: data must be an object'],
    ['data a string', { ...camel, data: '{}' }, 'invalid_envelope: data must be an object'],
    ['data a number', { ...snake, data: 1 }, 'invalid_envelope: data must be an object'],
    ['data true', { ...snake, data: true }, 'invalid_envelope: data must be an object'],
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
  ])('camelCase rejects %j', (id) => {
    expect(camelId(id)).toBe(noId)
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
  ])('snake_case rejects %j', (id) => {
    expect(snakeId(id)).toBe(noSnakeId)
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
    expect(verdict({ ...camel, type })).toBe(noType)
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
    expect(at(text)).toEqual([noTime, noSnakeTime])
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
