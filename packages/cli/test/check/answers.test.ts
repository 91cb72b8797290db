import { describe, expect, it } from 'vitest'
import type { Exchanged } from '../../src/check/endpoint.js'
import { Endpoint } from '../../src/check/endpoint.js'
import { selectCases } from '../../src/check/select.js'
import type { Answer, Exchange } from '../../src/http/exchange.js'

const answer = (given: Partial<Answer> = {}): Answer => ({
  kind: 'answer',
  status: 200,
  headers: {},
  body: '',
  isCut: false,
  isUploaded: true,
  seconds: 0.1,
  ...given,
})
const none: Exchange = { kind: 'none', code: 'TIMEOUT', problem: 'no response', seconds: 15 }

/** What a case finds in the answers of a run. */
function found(id: string, exchanges: readonly (Exchange | Exchanged)[], options: object = {}) {
  const endpoint = new Endpoint({
    url: new URL('http://x/'),
    secret: 'whsec_1',
    timeoutSeconds: 3,
    ...options,
  })
  endpoint.log.push(...exchanges.map((each) => ('exchange' in each ? each : { exchange: each, untold: [] })))
  const [one] = selectCases({ only: [id] })
  return one?.run(endpoint)
}

describe('the time of answers', () => {
  it.each<[string, Exchange[], object]>([
    [
      'the slowest',
      [answer({ seconds: 0.2 }), answer({ seconds: 1 })],
      { verdict: 'pass', received: 'the slowest of 2 took 1.00 s' },
    ],
    [
      'too slow',
      [answer({ seconds: 1.01 })],
      { verdict: 'warn', received: 'the slowest of 1 took 1.01 s', why: 'senders give up after 3 s' },
    ],
    [
      'of acknowledgements alone',
      [answer({ seconds: 2, status: 400 }), none],
      { verdict: 'skip', received: 'no acknowledgement' },
    ],
  ])('%s', (_, exchanges, finding) => {
    expect(found('answer-time', exchanges)).toEqual(finding)
  })
})

it('the size of answers', () => {
  expect(found('answer-size', [answer(), none])).toEqual({
    verdict: 'pass',
    received: 'no response was longer than 64 KiB',
  })
  expect(found('answer-size', [answer(), answer({ isCut: true })])).toEqual({
    verdict: 'warn',
    received: 'a response was longer than 64 KiB',
    why: 'the rest was not read',
  })
})

describe('an answer gives away', () => {
  const leak = (status: number, what: string) => ({
    verdict: 'fail',
    received: `a response ${status} with ${what}`,
    why: 'anyone can read it',
  })
  const nothing = (count: number) => ({ verdict: 'pass', received: `none of ${count} responses` })

  it('the secret, in its body or in a header', () => {
    expect(found('leaks-secret', [answer(), none])).toEqual(nothing(2))
    expect(found('leaks-secret', [answer(), answer({ status: 401, body: 'a whsec_1 b' })])).toEqual(
      leak(401, 'the secret'),
    )
    expect(found('leaks-secret', [answer({ headers: { a: 'x', b: 'whsec_1' } })])).toEqual(
      leak(200, 'the secret'),
    )
    expect(found('leaks-secret', [answer({ body: 'whsec_0' })])).toEqual(nothing(1))
    expect(found('leaks-secret', [answer({ body: 'whsec_0' })], { oldSecret: 'whsec_0' })).toEqual(
      leak(200, 'the secret'),
    )
  })

  it('the right signature of its delivery', () => {
    const exchanged = { exchange: answer({ status: 400, body: 'expected abc' }), untold: ['xyz', 'abc'] }
    expect(found('leaks-signature', [exchanged])).toEqual(leak(400, 'the right signature'))
    expect(found('leaks-signature', [{ ...exchanged, untold: ['xyz'] }])).toEqual(nothing(1))
    expect(found('leaks-signature', [answer({ body: 'abc' })])).toEqual(nothing(1))
  })

  it.each([
    ['Node', 'Error: no\n    at Object.<anonymous> (/srv/app.js:10:25)'],
    ['Node, in a short form', 'at a:1:2'],
    ['Python', 'Traceback (most recent call last):\n  File "a.py"'],
    ['Java', '\tat com.example.Main$1.run(Main.java:42)'],
    ['.NET', 'at A.B(Program.cs:7)'],
    ['Go', 'goroutine 17 [running]:'],
    ['Ruby', "app/models/a.rb:12:in `save'"],
    ['PHP', '#0 /srv/app/index.php(31): run()'],
  ])('a stack trace of %s', (_, body) => {
    expect(found('leaks-stack', [answer({ status: 500, body })])).toEqual(leak(500, 'a stack trace'))
  })

  it.each([
    'meet at 10:30',
    'that a:1:2',
    'at :1:2',
    'at a:x:2',
    'at a:1:x',
    'Traceback',
    'at com.example.Main.run(Main.java:x)',
    'at com example(Main.java:42)',
    'at run(Main java:42)',
    'goroutine x [',
    'goroutine 17 running',
    'a.rb:x:in save',
    'arb:12:in save',
    '#1 /srv/index.php(31)',
    '#0 /srv/index.php(x)',
    '#0 .php(31)',
    `at ${'x'.repeat(201)}:1:2`,
  ])('no stack trace: %s', (body) => {
    expect(found('leaks-stack', [answer({ body })])).toEqual(nothing(1))
  })
})
