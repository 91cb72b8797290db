import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { PayloadError } from '../../src/errors.js'
import { parseEvent } from '../../src/event/parse.js'
import { runs } from '../fuzz-runs.js'
import { bytes, camel, snake } from './bytes.js'

// A long search, or a busy machine, needs more time.
vi.setConfig({ testTimeout: 600_000 })

const codes = ['invalid_encoding', 'invalid_json', 'invalid_envelope', 'invalid_data']

/** The event, or the code of its PayloadError. Any other error fails the test. */
function attempt(body: Uint8Array) {
  try {
    return parseEvent(body)
  } catch (error) {
    if (!(error instanceof PayloadError)) {
      throw error
    }
    expect(codes).toContain(error.code)
    return error.code
  }
}

/** Checks that hold for every event, from any input. */
function isSound(body: Uint8Array): void {
  const event = attempt(body)
  if (typeof event === 'string') {
    return
  }
  expect(event.id).toMatch(/^\P{C}{1,255}$/u)
  expect(event.type).toMatch(/^\P{C}{1,255}$/u)
  expect(Number.isNaN(Date.parse(event.createdAt))).toBe(false)
  expect(event.data).toBeTypeOf('object')
  expect(Array.isArray(event.data)).toBe(false)
  expect(event.raw).toEqual(body)
  expect(['camelCase', 'snake_case']).toContain(event.representation)
  expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
  const document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Record<
    string,
    unknown
  >
  expect(event.id).toBe(document.id)
  expect(event.type).toBe(document.type)
}

const seeds = [camel, snake, { ...snake, metadata: { a_b: [1, 2.5] }, n: 9007199254740991 }].map((each) =>
  JSON.stringify(each),
)
const tokens = [
  '"',
  '\\',
  '\\u0069',
  '\\u0000',
  '\\ud800',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '1e400',
  '9007199254740993',
  '-0',
  'null',
  'true',
  '"id":"evt_2",',
  '"created_at":"2026-01-02T03:04:05Z",',
  '"__proto__":{},',
  '\u0000',
  '\ufeff',
  '\u2028',
  ' ',
  '"a_b":1,"aB":1,',
  '"\\u0069d":"x",',
  '"raw":1,',
]

describe('parseEvent throws only PayloadError, and returns only valid events', () => {
  it('on any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), isSound), { numRuns: runs(20_000) })
  })

  it('on any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => isSound(bytes(text))),
      { numRuns: runs(10_000) },
    )
  })

  it('on envelopes with any fields', () => {
    const field = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('evt_1', 'x', '2026-01-02T03:04:05Z', '2026-02-30T00:00:00Z', {}, { a_b: 1, aB: 2 }),
    )
    const name = fc.constantFrom(
      'id',
      'type',
      'createdAt',
      'created_at',
      'data',
      'environment',
      'product',
      'raw',
      '__proto__',
      'metadata',
      'a_b',
      'aB',
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, field), { maxLength: 8 }),
        fc.constantFrom(...seeds),
        (extra, seed) => {
          const fields = extra
            .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`)
            .join('')
          isSound(bytes(`{${fields}${seed.slice(1)}`))
          isSound(bytes(`{${fields}"data":{}}`))
          isSound(bytes(JSON.stringify({ ...JSON.parse(seed), ...Object.fromEntries(extra) })))
        },
      ),
      { numRuns: runs(8000) },
    )
  })

  it('on mutated envelopes', () => {
    const edit = fc.tuple(
      fc.nat(),
      fc.nat(12),
      fc.oneof(fc.constantFrom(...tokens), fc.string({ unit: 'binary', maxLength: 2 })),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        (seed, edits) => {
          let text = seed
          for (const [position, removed, inserted] of edits) {
            const at = position % (text.length + 1)
            text = text.slice(0, at) + inserted + text.slice(at + (removed < 4 ? removed : 0))
          }
          isSound(bytes(text))
        },
      ),
      { numRuns: runs(20_000) },
    )
  })

  it('on envelopes with mutated bytes', () => {
    const edit = fc.tuple(fc.nat(), fc.nat(255))
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        (seed, edits) => {
          const body = bytes(seed)
          for (const [position, byte] of edits) {
            body[position % body.length] = byte
          }
          isSound(body)
        },
      ),
      { numRuns: runs(20_000) },
    )
  })
})
