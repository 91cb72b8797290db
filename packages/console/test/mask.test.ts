import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyView } from '../src/views/body-view.js'
import { resolveMask } from '../src/views/mask.js'
import { maskText } from '../src/views/mask-text.js'

const view = (text: string, ...paths: string[]) => bodyView(Buffer.from(text), resolveMask(paths))

describe('a mask', () => {
  it.each([
    ['{"data":{"phone":"+4670"}}', 'data.phone', '{"data":{"phone":"•••"}}'],
    [
      '{ "data" : { "phone" :\n"+4670" , "a":1 } }',
      'data.phone',
      '{ "data" : { "phone" :\n"•••" , "a":1 } }',
    ],
    [
      '{"data":{"phone_number":1,"PhoneNumber":2}}',
      'data.phoneNumber',
      '{"data":{"phone_number":"•••","PhoneNumber":"•••"}}',
    ],
    ['{"data":[{"a":1},{"a":2}]}', 'data.*.a', '{"data":[{"a":"•••"},{"a":"•••"}]}'],
    ['{"data":{"a":{"b":{"c":1}}}}', 'data.a', '{"data":{"a":"•••"}}'],
    ['{"data":{"p":1,"p":2}}', 'data.p', '{"data":{"p":"•••","p":"•••"}}'],
    ['{"data":{"\\u0070":"x"}}', 'data.p', '{"data":{"\\u0070":"•••"}}'],
    ['{"amount":12345678901234567890.10,"p":"\\"}"}', 'p', '{"amount":12345678901234567890.10,"p":"•••"}'],
    ['{"p":null,"q":true,"r":-1e5}', 'p', '{"p":"•••","q":true,"r":-1e5}'],
    ['[]', 'p', '[]'],
    ['{"other":1}', 'p', '{"other":1}'],
  ])('%s without %s is %s', (text, path, shown) => {
    expect(view(text, path)).toEqual({ text: shown, isMasked: true, bytes: Buffer.byteLength(text) })
  })

  it('keeps the exact bytes and what is not JSON to itself', () => {
    expect(view('no JSON, phone +4670', 'data.phone')).toMatchObject({ text: null, withheld: 'not_json' })
    expect(bodyView(Buffer.from([0xff, 0xfe]), resolveMask(['a']))).not.toHaveProperty('base64')
  })

  it('may be a function, which gets each path and its value', () => {
    const seen: unknown[] = []
    const text = maskText('{"a":{"b":[1]},"c":"x"}', (path, value) => {
      seen.push([path, value])
      return path === 'c' ? (value as string).length : value
    })
    expect(text).toBe('{"a":{"b":[1]},"c":1}')
    expect(seen).toContainEqual(['a.b.0', 1])
  })

  it('hides what is nested too deeply, quickly', () => {
    const text = '['.repeat(200_000) + ']'.repeat(200_000)
    const shown = view(text, 'p').text ?? ''
    expect(shown).toContain('•••')
    expect(shown.length).toBeLessThan(1000)
  })

  it('changes nothing of a text that it does not cover', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), undefined, indent)
        expect(maskText(text, (_, value) => value)).toBe(text)
      }),
    )
  })

  it('covers a value wherever it stands', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, secret) => {
        const text = JSON.stringify({ ...object, phone: `<${secret}>` })
        expect(JSON.parse(view(text, 'phone').text ?? '')).toMatchObject({ phone: '•••' })
      }),
    )
  })
})

it('without a mask the text and the exact bytes are there', () => {
  const body = bodyView(Buffer.from('{"a": 1}'), undefined)
  expect(body).toEqual({ text: '{"a": 1}', base64: 'eyJhIjogMX0=', isMasked: false, bytes: 8 })
  expect(bodyView(Buffer.from([0xff]), undefined)).toMatchObject({
    text: null,
    withheld: 'not_text',
    base64: '/w==',
  })
})
