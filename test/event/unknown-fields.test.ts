import { describe, expect, it } from 'vitest'
import { parseEvent, readEvent } from '../../src/event/parse.js'
import { bytes, camel, snake, verdict, withData } from './bytes.js'

const warningsOf = (body: Uint8Array) => readEvent(body, 'refuse').warnings

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

  it('is rejected in every field', () => {
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
