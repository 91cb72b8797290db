import { describe, expect, it } from 'vitest'
import { describeExchange } from '../../src/http/describe.js'
import type { Answer } from '../../src/http/exchange.js'
import { readHeaders } from '../../src/http/header-option.js'
import { readUrl } from '../../src/http/url-argument.js'

const answer: Answer = {
  kind: 'answer',
  status: 200,
  headers: {},
  body: '',
  isCut: false,
  isUploaded: true,
  seconds: 0.0126,
}

describe('an exchange on one line', () => {
  it.each<[string, Partial<Answer>]>([
    ['200 in 13 ms', {}],
    ['500 in 2000 ms: not now', { status: 500, seconds: 2, body: ' not now\n' }],
    ['299 in 13 ms', { status: 299, headers: { location: '/a' } }],
    ['300 to /a in 13 ms', { status: 300, headers: { location: '/a' } }],
    ['307 to /a in 13 ms: moved', { status: 307, headers: { location: '/a' }, body: 'moved' }],
    ['399 to /a in 13 ms', { status: 399, headers: { location: '/a' } }],
    ['400 in 13 ms', { status: 400, headers: { location: '/a' } }],
    ['302 in 13 ms', { status: 302 }],
    ['302 in 13 ms', { status: 302, headers: { location: '' } }],
    [`302 to ${'x'.repeat(99)}… in 13 ms`, { status: 302, headers: { location: 'x'.repeat(101) } }],
    [`200 in 13 ms: ${'y'.repeat(120)}`, { body: 'y'.repeat(120) }],
    [`200 in 13 ms: ${'y'.repeat(119)}…`, { body: 'y'.repeat(121) }],
    ['200 in 13 ms: a\\nb', { body: 'a\nb' }],
    ['200 in 13 ms: ', { body: ' ' }],
  ])('%s', (line, given) => {
    expect(describeExchange({ ...answer, ...given })).toBe(line)
  })

  it('without an answer is the problem', () => {
    const none = { kind: 'none', code: 'TIMEOUT', problem: 'no response within 1 s', seconds: 1 } as const
    expect(describeExchange(none)).toBe('no response within 1 s')
  })
})

describe('--header', () => {
  it.each<[string[], Record<string, string>]>([
    [[], {}],
    [['X-Key: abc'], { 'x-key': 'abc' }],
    [['x-key:abc', 'Y: 1'], { 'x-key': 'abc', y: '1' }],
    [['a: \t b: c '], { a: 'b: c ' }],
    [['empty:'], { empty: '' }],
    [["!#$%&'*+.^`|~-9_Z: x"], { "!#$%&'*+.^`|~-9_z": 'x' }],
    [['a: 1', 'A: 2'], { a: '2' }],
    [['a: \tb\t~'], { a: 'b\t~' }],
  ])('%j', (given, headers) => {
    expect(readHeaders(given)).toEqual(headers)
  })

  it.each(['', 'a', ': b', 'a b: c', ' a: b', 'a: b\nc', 'a: é', 'é: a', 'a: \u007f', '(a): b'])(
    'rejects %j, and does not repeat it',
    (given) => {
      expect(() => readHeaders(['ok: 1', given])).toThrow(
        expect.objectContaining({
          name: 'UsageError',
          message: '--header must be a name, a colon and a value in ASCII',
        }),
      )
    },
  )
})

describe('the URL of an endpoint', () => {
  it.each(['http://127.0.0.1:3000/webhooks', 'https://example.com/a?b=c', 'HTTP://example.com'])(
    'may be %s',
    (given) => {
      expect(readUrl('--to', given)).toEqual(new URL(given))
    },
  )

  it.each(['', 'localhost:3000', 'ftp://example.com', '/webhooks', 'http://', 'file:///a', 'httpx://a'])(
    'may not be %j',
    (given) => {
      expect(() => readUrl('--to', given)).toThrow(
        expect.objectContaining({
          name: 'UsageError',
          message: '--to must be an http or https URL, such as http://127.0.0.1:3000/webhooks',
        }),
      )
    },
  )
})
