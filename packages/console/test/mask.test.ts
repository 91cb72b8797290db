import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyView } from '../src/views/body-view.js'
import { type MaskAt, resolveMask } from '../src/views/mask.js'
import { maskText } from '../src/views/mask-text.js'

type Ask = (path: string, value: unknown, keys: readonly string[]) => unknown
const asking = (mask: Ask) => resolveMask(mask) as MaskAt

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
    ['[]', '*', '[]'],
    ['{"other":1}', 'p', '{"other":1}'],
  ])('%s without %s is %s', (text, path, shown) => {
    expect(view(text, path)).toEqual({ text: shown, isMasked: true, bytes: Buffer.byteLength(text) })
  })

  it.each([
    ['a list of events', '[{"data":{"phone":"+4670"}}]', 'data.phone', '"•••"'],
    ['a list of data', '{"data":[{"phone":"+4670"}]}', 'data.phone', '{"data":"•••"}'],
    ['an event encoded twice', '"{\\"data\\":{\\"phone\\":1}}"', 'data.phone', '"•••"'],
    ['data encoded twice', '{"data":" {\\"phone\\":1}"}', 'data.phone', '{"data":"•••"}'],
    ['data encoded three times', '{"data":"\\"{}\\""}', 'data.*', '{"data":"•••"}'],
    ['a list encoded twice', '{"data":{"to":"[{\\"pin\\":1}]"}}', 'data.to.*.pin', '{"data":{"to":"•••"}}'],
    ['a list below a field', '{"data":{"to":[{"pin":1}]}}', 'data.to.pin', '{"data":{"to":"•••"}}'],
  ])('hides %s, because its paths lead to nothing', (_, text, path, shown) => {
    expect(view(text, path).text).toBe(shown)
  })

  it.each([
    ['[{"data":{"phone":1}}]', '*.data.phone', '[{"data":{"phone":"•••"}}]'],
    ['{"data":{"to":"wallet_1"}}', 'data.to.phone', '{"data":{"to":"wallet_1"}}'],
    ['{"data":{"to":[{"pin":1},{"pin":2}]}}', 'data.to.0.pin', '{"data":{"to":[{"pin":"•••"},{"pin":2}]}}'],
    ['{"data":{"note":"{}","to":[1]}}', 'data.*.pin', '{"data":{"note":"{}","to":[1]}}'],
  ])('shows the rest of %s where %s can lead to its values', (text, path, shown) => {
    expect(view(text, path).text).toBe(shown)
  })

  it('keeps the exact bytes and what is not JSON to itself', () => {
    expect(view('no JSON, phone +4670', 'data.phone')).toMatchObject({ text: null, withheld: 'not_json' })
    expect(bodyView(Buffer.from([0xff, 0xfe]), resolveMask(['a']))).not.toHaveProperty('base64')
  })

  it('may be a function, which gets each path and its value', () => {
    const seen: unknown[] = []
    const text = maskText(
      '{"a":{"b":[1]},"c":"x"}',
      asking((path, value) => {
        seen.push([path, value])
        return path === 'c' ? (value as string).length : value
      }),
    )
    expect(text).toBe('{"a":{"b":[1]},"c":1}')
    expect(seen[0]).toEqual(['', { a: { b: [1] }, c: 'x' }])
    expect(seen).toContainEqual(['a.b.0', 1])
  })

  it('covers a key with a dot in it, by * and by the path that it looks like', () => {
    const text = '{"to":{"iban":"GB33","holder.name":"Ada","holder.name.first":1},"of":{"a.b":1}}'
    const shown = '{"to":{"iban":"•••","holder.name":"•••","holder.name.first":"•••"},"of":{"a.b":1}}'
    expect(view(text, 'to.*').text).toBe(shown)
    expect(view(text, 'to.iban', 'to.holder.name').text).toBe(shown)
    expect(view('{"l":[{"x.y":{"z":1}}]}', 'l.*.*.z').text).toBe('{"l":[{"x.y":{"z":"•••"}}]}')
  })

  it('as a function gets the keys as a list, because a key may contain a dot', () => {
    const mask = asking((_, value, keys) => (keys[1] === 'b.c' ? '•••' : value))
    expect(maskText('{"a":{"b.c":1,"b":{"c":2}}}', mask)).toBe('{"a":{"b.c":"•••","b":{"c":2}}}')
  })

  it.each([
    ['is shown at the maximum depth', 64, false],
    ['is withheld below it', 65, true],
  ])('of a function: a body %s', (_, levels, isWithheld) => {
    const deep = '['.repeat(levels) + ']'.repeat(levels)
    const mask = asking((_path, value) => value)
    expect(bodyView(Buffer.from(deep), mask)).toMatchObject(
      isWithheld ? { text: null, withheld: 'too_complex' } : { text: deep },
    )
    // Paths look only where they lead.
    expect(view(`{"p":${deep},"q":${deep}}`, 'p').text).toBe(`{"p":"•••","q":${deep}}`)
  })

  it('withholds a body for which it would have to look at too much', () => {
    const values = '0,'.repeat(3000)
    const shown = (key: string) =>
      bodyView(
        Buffer.from(`{"${key}":[${values}0]}`),
        asking((_, value) => value),
      )
    expect(shown('k')).toMatchObject({ isMasked: true, text: `{"k":[${values}0]}` })
    // A function gets the path of each value, so the key counts once for each.
    expect(shown('k'.repeat(4000))).toMatchObject({ text: null, withheld: 'too_complex' })
  })

  it('that is async is rejected when the program starts', () => {
    expect(() => resolveMask(async () => '•••')).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })

  it('that returns a promise fails the view, and its rejection ends nothing', async () => {
    const rejections: unknown[] = []
    const note = (error: unknown) => rejections.push(error)
    process.on('unhandledRejection', note)
    const mask = asking(() => Promise.reject(new Error('the vault is down')))
    expect(() => bodyView(Buffer.from('{"a":1}'), mask)).toThrow(/mask returned a promise/)
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
  })

  it('changes nothing of a text that it does not cover', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), undefined, indent)
        expect(
          maskText(
            text,
            asking((_, value) => value),
          ),
        ).toBe(text)
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
