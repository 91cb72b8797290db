import { describe, expect, it } from 'vitest'
import type { Exchanged } from '../../src/check/endpoint.js'
import { isRepeated, rejectsAll } from '../../src/check/first-cause.js'
import type { Answer, Exchange } from '../../src/http/exchange.js'

const answer = (status: number, body = '', headers = {}): Answer => ({
  kind: 'answer',
  status,
  headers,
  body,
  isCut: false,
  isUploaded: true,
  seconds: 0.25,
})

const synchronize = 'Synchronize the clocks of both machines.'
const forgery = [
  'the endpoint takes every delivery for a forgery',
  'Give check the secret and the scheme of this endpoint: WEBHOOK_SECRET and --scheme. If they are right, a body parser or a proxy changes the body, or a gateway needs a key: see --header.',
] as const
const refused = [
  'every valid delivery is rejected',
  'Look at the response and at the log of the endpoint. If its handler rejects the sample event, give another one with --event.',
] as const
const broken = [
  'the endpoint fails on every valid delivery',
  'Look for the error in the log of the endpoint. If its handler fails on the sample event, give another one with --event.',
] as const
const redirected = [
  'it redirects every delivery, and senders do not follow redirects',
  'Give the URL to which it redirects.',
] as const
const code = (text: unknown) => JSON.stringify({ code: text })

describe('the one cause', () => {
  it.each<[number, string, string, string]>([
    [401, '', ...forgery],
    [403, 'null', ...forgery],
    [400, code('signature_mismatch'), ...forgery],
    [
      404,
      '',
      'nothing answers at this path',
      'Check the path of the URL, and where the receiver is mounted.',
    ],
    [405, '', 'the path takes no POST', 'Mount the receiver for POST at the path of the URL.'],
    [429, '', 'the endpoint limits the rate, also of valid deliveries', 'Raise the limit for this test.'],
    [
      401,
      code('missing_signature'),
      'the signature did not arrive',
      'Let the proxy pass Service-Signature and Service-Event-Id.',
    ],
    [
      401,
      code('timestamp_out_of_tolerance'),
      'the endpoint takes a new timestamp for an old one',
      synchronize,
    ],
    [
      400,
      code('invalid_data'),
      'the schema of the endpoint rejects the data of the sample event',
      'Give an event that it accepts with --event.',
    ],
    [
      400,
      code('environment_not_allowed'),
      'the endpoint does not accept events of this environment',
      'If it is an endpoint of production, pass --production.',
    ],
    [
      405,
      code('method_not_allowed'),
      'the path takes no POST',
      'Mount the receiver for POST at the path of the URL.',
    ],
    [500, code('handler_failed'), ...broken],
    [500, code('toString'), ...broken],
    [500, code(7), ...broken],
    [400, code('unknown'), ...refused],
    [400, '<p>', ...refused],
    [499, '', ...refused],
    [500, '', ...broken],
    [399, '', ...redirected],
    [302, '', ...redirected],
  ])('of %i %s', (status, body, why, advice) => {
    const text = body === '' ? '' : `: ${body}`
    expect(rejectsAll(answer(status, body), 300)).toEqual({
      id: 'valid-delivery',
      group: 'accepts',
      title: 'a valid delivery is acknowledged',
      rule: 'R60',
      ruleText: 'Events have id, type, environment, createdAt and data.',
      sent: 'a signed event, before the first case',
      verdict: 'fail',
      received: `${status} in 250 ms${text}`,
      why,
      advice,
      seconds: 0.25,
    })
  })

  it('is told by the words of the toolkit where its receiver answers', () => {
    const { why, advice } = rejectsAll(answer(500, code('body_already_read')), 300)
    expect(why).toMatch(/^\S.*; likely cause: \S/)
    expect(advice).toMatch(/^[A-Z].*[^.]\.$/)
  })

  it('is the clock where that is wrong, whatever the endpoint says', () => {
    const date = new Date(Date.now() - 7_200_000).toUTCString()
    const { why, advice } = rejectsAll(answer(401, code('signature_mismatch'), { date }), 300)
    expect([why, advice]).toEqual([
      expect.stringMatching(/^its clock is 7\d{3} s behind this one$/),
      synchronize,
    ])
  })
})

describe('a result repeats the one cause', () => {
  const rejection = answer(500, code('a'))
  const log = (...statuses: (number | undefined)[]): Exchanged[] =>
    statuses.map((status) => ({
      exchange: (status === undefined ? { kind: 'none' } : answer(status)) as Exchange,
      untold: [],
    }))

  it.each<[string, Exchange | undefined, Exchanged[], boolean]>([
    ['if a valid delivery got the same answer', answer(500, code('a')), log(200, 500), true],
    ['not with another code', answer(500, code('b')), log(200, 500), false],
    ['not with another status', answer(501, code('a')), log(200, 501), false],
    ['if it saw only that status', answer(500, code('b')), log(500, 500), true],
    ['if it saw only that status, with any answer', undefined, log(500), true],
    ['not if it saw another status too', undefined, log(500, 401), false],
    ['not if a delivery got no answer', undefined, log(500, undefined), false],
    ['not if it sent nothing', undefined, [], false],
  ])('%s', (_, wrongAnswer, exchanged, is) => {
    expect(isRepeated(wrongAnswer ? { wrongAnswer } : {}, exchanged, rejection)).toBe(is)
  })

  it('if both have no code', () => {
    expect(isRepeated({ wrongAnswer: answer(404, 'a') }, log(200, 404), answer(404, 'b'))).toBe(true)
    const none = { kind: 'none', code: 'TIMEOUT', problem: '', seconds: 1 } as const
    expect(isRepeated({ wrongAnswer: none }, log(200), answer(404, 'b'))).toBe(false)
  })
})
