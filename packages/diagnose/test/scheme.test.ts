import { expect, it } from 'vitest'
import { parseScheme } from '../src/scheme.js'
import { schemeLine } from '../src/scheme-line.js'

it.each([
  ['t-body-hex', { content: 'timestamp.body', encoding: 'hex' }],
  ['id-t-body-base64', { content: 'id.timestamp.body', encoding: 'base64' }],
  ['body-base64url', { content: 'body', encoding: 'base64url' }],
  ['content=body', { content: 'body' }],
  ['content=body, key=base64,keyPrefix=whsec_', { content: 'body', key: 'base64', keyPrefix: 'whsec_' }],
  ['keyPrefix=', { keyPrefix: '' }],
  // Not a scheme, but it is written like one: what uses it says what is wrong.
  ['contents=body', { contents: 'body' }],
])('%s is a scheme', (text, scheme) => {
  expect(parseScheme(text)).toEqual(scheme)
})

it.each([
  '',
  'hex',
  'body-hex2',
  'scheme.json',
  'C:\\work\\scheme.json',
  './a=b/scheme.json',
  '=body',
  'a,b=c',
])('%j is none', (text) => {
  expect(parseScheme(text)).toBeUndefined()
})

it('is printed as the option of createReceiver', () => {
  expect(schemeLine(parseScheme('id-t-body-base64') ?? {})).toBe(
    "scheme: { content: 'id.timestamp.body', encoding: 'base64' },",
  )
})

it.each([null, undefined, 'hex', 5, { encoding: Symbol('s') }])(
  'a line of %o is rejected with a code',
  (scheme) => {
    expect(() => schemeLine(scheme as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  },
)
