import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { PayloadError } from '../../src/errors.js'
import { camelCase, camelizeKeys, Walk } from '../../src/event/normalize.js'
import { runs } from '../fuzz-runs.js'

// A long search, or a busy machine, needs more time.
vi.setConfig({ testTimeout: 600_000 })

const camelize = (text: string) => {
  const walk = new Walk()
  const { data: value } = camelizeKeys({ data: JSON.parse(text) }, walk) as { data: unknown }
  return { value, warnings: walk.warnings }
}

describe('camelCase', () => {
  it.each([
    ['transfer_id', 'transferId'],
    ['ledger_state', 'ledgerState'],
    ['a_b_c', 'aBC'],
    ['line_2', 'line2'],
    ['line2_address', 'line2Address'],
    ['a_2b', 'a2b'],
    ['x9_y8', 'x9Y8'],
  ])('%s becomes %s', (key, name) => {
    expect(camelCase(key)).toBe(name)
    expect(camelCase(key)).toBe(name)
  })

  it.each([
    '',
    'a',
    'transferId',
    'M_PESA',
    '_private',
    'private_',
    'a__b',
    '__proto__',
    '_',
    '__',
    'a_B',
    'A_b',
    '1_a',
    'é_a',
    'a_é',
    'a-b_c',
    'a b_c',
    'a_b\n',
    '\na_b',
  ])('%j stays', (key) => {
    expect(camelCase(key)).toBe(key)
    expect(camelCase(key)).toBe(key)
  })

  it('does not change its own result', () => {
    const key = fc.oneof(fc.string({ unit: fc.constantFrom(...'abz019_AZ') }), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(key, (text) => {
        expect(camelCase(camelCase(text))).toBe(camelCase(text))
      }),
      { numRuns: runs(20_000) },
    )
  })

  it('takes linear time for any key', () => {
    const startedAt = performance.now()
    for (const unit of ['a_', '_', 'a', 'a__', '_a', 'a1_']) {
      camelCase(`a_${unit.repeat(300_000)}!`)
    }
    expect(performance.now() - startedAt).toBeLessThan(3000)
  })

  it('is right for more names than the cache holds', () => {
    for (let i = 0; i < 5000; i++) {
      expect(camelCase(`name_${i}_x`)).toBe(`name${i}X`)
    }
  })
})

describe('camelizeKeys', () => {
  it('copies nothing if no key is renamed', () => {
    const plain = { a: { bC: [{ d: 1 }] }, metadata: { e_f: { g_h: 1 } } }
    expect(camelizeKeys(plain, new Walk())).toBe(plain)
    expect(camelizeKeys(plain.metadata, new Walk(), 2, false)).toBe(plain.metadata)
  })

  it('renames at every depth, in objects and in lists of them', () => {
    expect(camelize('{"a_b":{"c_d":[{"e_f":1},[{"g_h":[]}],null,"i_j"]},"k":true}')).toEqual({
      value: { aB: { cD: [{ eF: 1 }, [{ gH: [] }], null, 'i_j'] }, k: true },
      warnings: [],
    })
  })

  it.each(['null', 'true', '1', '"a_b"', '[]', '{}'])('leaves %s unchanged', (text) => {
    expect(camelize(text).value).toEqual(JSON.parse(text))
  })

  it('leaves everything below metadata unchanged, at any depth', () => {
    expect(
      camelize('{"x_y":{"metadata":{"a_b":{"c_d":[{"e_f":{"metadata":{"g_h":1}}}]}},"i_j":1}}').value,
    ).toEqual({
      xY: { metadata: { a_b: { c_d: [{ e_f: { metadata: { g_h: 1 } } }] } }, iJ: 1 },
    })
    expect(camelize('{"metadata":[{"a_b":1}]}').value).toEqual({ metadata: [{ a_b: 1 }] })
    expect(camelize('{"meta_data":{"a_b":1},"Metadata":{"a_b":1}}').value).toEqual({
      metaData: { aB: 1 },
      Metadata: { aB: 1 },
    })
  })

  it('allows similar keys below metadata', () => {
    expect(camelize('{"metadata":{"a_b":1,"aB":2}}').value).toEqual({ metadata: { a_b: 1, aB: 2 } })
  })

  it.each([
    ['{"a_b":1,"aB":2}', 'two keys become data.aB'],
    ['{"aB":1,"a_b":2}', 'two keys become data.aB'],
    ['{"x":[{"y_z":{"line_1":1,"line1":2}}]}', 'two keys become data.x.yZ.line1'],
    ['{"a_1b":1,"a1_b":2,"c":3}', undefined],
  ])('%s', (text, detail) => {
    if (detail === undefined) {
      expect(camelize(text).value).toEqual({ a1b: 1, a1B: 2, c: 3 })
    } else {
      expect(() => camelize(text)).toThrow(
        expect.objectContaining({ code: 'invalid_envelope', detail }) as PayloadError,
      )
    }
  })

  it('drops __proto__ with a warning, at any depth, even below metadata', () => {
    expect(camelize('{"__proto__":{"x":1},"a":1}')).toEqual({
      value: { a: 1 },
      warnings: ['data.__proto__ was left out'],
    })
    expect(camelize('{"a_b":[{"__proto__":1}]}')).toEqual({
      value: { aB: [{}] },
      warnings: ['data.aB.__proto__ was left out'],
    })
    const inMetadata = camelize('{"metadata":{"a_b":{"__proto__":{"polluted":true},"c":1}}}')
    expect(inMetadata.value).toEqual({ metadata: { a_b: { c: 1 } } })
    expect(inMetadata.warnings).toEqual(['data.metadata.a_b.__proto__ was left out'])
    const a_b = (inMetadata.value as { metadata: { a_b: object } }).metadata.a_b
    expect(Object.getPrototypeOf(a_b)).toBe(Object.prototype)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each([
    ['{}', 0],
    ['[[],{}]', 0],
    ['{"a":1,"b_c":{"d":[{"e":1},{"e":2}],"metadata":{"f_g":null}}}', 7],
    ['{"__proto__":{"a":1},"b":2}', 3],
  ])('counts the keys of %s', (text, keys) => {
    const walk = new Walk()
    camelizeKeys(JSON.parse(text), walk)
    expect(walk.keys).toBe(keys)
  })

  it('keeps names such as constructor', () => {
    const value = camelize(
      '{"constructor":1,"to_string":2,"hasOwnProperty":3,"prototype":{"value_of":4}}',
    ).value
    expect(value).toEqual({ constructor: 1, toString: 2, hasOwnProperty: 3, prototype: { valueOf: 4 } })
    expect(Object.hasOwn(value as object, 'toString')).toBe(true)
  })

  it('changes only keys: values keep their order and number', () => {
    const json = fc.json({ maxDepth: 4 })
    fc.assert(
      fc.property(json, (text) => {
        let value: unknown
        try {
          value = camelize(text).value
        } catch (error) {
          expect(error).toMatchObject({ name: 'PayloadError', code: 'invalid_envelope' })
          return
        }
        expect(leaves(value)).toEqual(leaves(withoutProto(JSON.parse(text))))
        // A second pass renames nothing.
        const again = JSON.stringify(value)
        expect(JSON.stringify(camelize(again).value)).toBe(again)
      }),
      { numRuns: runs(5000) },
    )
  })
})

/** All values that are not objects or arrays, in order. */
function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]
}

function withoutProto(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutProto)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutProto(each)]))
}
