import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../src/check/case.js'
import { clockSkew } from '../../src/check/clock-skew.js'
import {
  about,
  isAcknowledged,
  isRetryable,
  mustAcknowledge,
  mustRefuse,
  mustRefuseOrKeep,
  mustSurvive,
  shouldAcknowledge,
  shouldRefuse,
  worst,
} from '../../src/check/judge.js'
import type { Answer, Exchange, NoAnswer } from '../../src/http/exchange.js'

const answer = (status: number, body = '', headers = {}): Answer => ({
  kind: 'answer',
  status,
  headers,
  body,
  isCut: false,
  isUploaded: true,
  seconds: 0.01,
})
const none: NoAnswer = { kind: 'none', code: 'TIMEOUT', problem: 'no response within 1 s', seconds: 1 }

const redirected = 'it was redirected, and senders do not follow redirects'
const rejected = 'a valid delivery was rejected'
const unacknowledged = 'a valid delivery was not acknowledged'
const elsewhere = 'it was redirected instead of rejected'
const limited = 'the receiver limits the rate, which proves nothing'
const broke = 'the receiver broke on it instead of rejecting it'
const taken = 'it was acknowledged'
const lost = 'it was acknowledged; unless it is kept somewhere, it is lost'

type Row = readonly [verdict: Verdict, why?: string]

/** The verdicts on 199, 200, 299, 300, 399, 400, 429, 499, 500 and on no answer. */
const judges: readonly (readonly [string, (exchange: Exchange) => object, readonly Row[]])[] = [
  [
    'a valid delivery',
    mustAcknowledge,
    [
      ['fail', unacknowledged],
      ['pass'],
      ['pass'],
      ['fail', redirected],
      ['fail', redirected],
      ['fail', rejected],
      ['fail', rejected],
      ['fail', rejected],
      ['fail', unacknowledged],
      ['fail', unacknowledged],
    ],
  ],
  [
    'a valid delivery in an unusual form',
    shouldAcknowledge,
    [
      ['fail', unacknowledged],
      ['pass'],
      ['pass'],
      ['fail', redirected],
      ['fail', redirected],
      ['warn', rejected],
      ['warn', rejected],
      ['warn', rejected],
      ['fail', unacknowledged],
      ['fail', unacknowledged],
    ],
  ],
  ...(
    [
      ['an invalid delivery', mustRefuse, ['fail', taken]],
      ['a delivery that is better rejected', shouldRefuse, ['warn', taken]],
      ['a signed body that is no event', mustRefuseOrKeep, ['warn', lost]],
      ['a delivery that may be either', mustSurvive, ['pass']],
    ] as const
  ).map(([name, judge, acknowledged]): (typeof judges)[number] => [
    name,
    (exchange) => judge(exchange),
    [
      ['fail', broke],
      acknowledged,
      acknowledged,
      ['fail', elsewhere],
      ['fail', elsewhere],
      ['pass'],
      ['warn', limited],
      ['pass'],
      ['fail', broke],
      ['fail', 'no response arrived'],
    ],
  ]),
]

describe.each(judges)('%s', (_, judge, rows) => {
  const exchanges = [199, 200, 299, 300, 399, 400, 429, 499, 500].map((status) => answer(status))
  it('is judged by its answer', () => {
    const found = [...exchanges, none].map((exchange) => {
      const { wrongAnswer: _, ...rest } = judge(exchange) as { wrongAnswer?: unknown }
      return rest
    })
    expect(found).toEqual(
      rows.map(([verdict, why], at) => ({
        verdict,
        received: exchanges[at] ? `${exchanges[at].status} in 10 ms` : 'no response within 1 s',
        ...(why !== undefined && { why }),
      })),
    )
  })
})

describe('a finding', () => {
  it('has the wrong answer to a valid delivery, and no other', () => {
    const wrong = answer(500)
    expect(mustAcknowledge(wrong).wrongAnswer).toBe(wrong)
    expect(shouldAcknowledge(answer(400)).wrongAnswer).toMatchObject({ status: 400 })
    expect(mustAcknowledge(answer(200))).not.toHaveProperty('wrongAnswer')
    expect(mustRefuse(wrong)).not.toHaveProperty('wrongAnswer')
  })

  it('names its variant', () => {
    expect(about('GET', { verdict: 'pass', received: '405', why: 'w' })).toEqual({
      verdict: 'pass',
      received: 'GET: 405',
      why: 'w',
    })
  })

  it('is the worst of several, and the first of equals', () => {
    const of = (...verdicts: Verdict[]) =>
      worst(verdicts.map((verdict, at) => ({ verdict, received: String(at) }))).received
    expect(of('pass', 'skip', 'warn', 'fail', 'fail')).toBe('3')
    expect(of('pass', 'skip', 'warn', 'warn')).toBe('2')
    expect(of('pass', 'skip', 'skip')).toBe('1')
    expect(of('pass', 'pass')).toBe('0')
    expect(() => worst([])).toThrow(new RangeError('no findings'))
  })
})

describe('an answer', () => {
  it.each([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
  ])('%i acknowledges: %s', (status, is) => {
    expect(isAcknowledged(answer(status))).toBe(is)
  })

  it('asks for another try with some statuses', () => {
    const statuses = Array.from({ length: 500 }, (_, at) => at + 100)
    expect(statuses.filter((status) => isRetryable(answer(status)))).toEqual([408, 409, 423, 425, 429, 503])
    expect([isRetryable(none), isAcknowledged(none)]).toEqual([false, false])
  })

  it.each([
    ['{"outcome":"quarantined"}', 'pass'],
    ['{"outcome":"processed"}', 'warn'],
    ['quarantined', 'warn'],
    ['null', 'warn'],
    ['{}', 'warn'],
  ])('with the body %s keeps what is no event: %s', (body, verdict) => {
    expect(mustRefuseOrKeep(answer(200, body)).verdict).toBe(verdict)
    expect(mustRefuseOrKeep(answer(500, body)).verdict).toBe('fail')
  })

  it('may have an explanation that a pass does not prove', () => {
    expect(mustSurvive(answer(200), 'unseen')).toMatchObject({ verdict: 'pass', why: 'unseen' })
    expect(mustSurvive(answer(400), 'unseen')).not.toHaveProperty('why')
  })
})

describe('the clock of an endpoint', () => {
  const skew = (seconds: number, tolerance = 300) =>
    clockSkew(answer(401, '', { date: new Date(Date.now() + seconds * 1000).toUTCString() }), tolerance)

  it('is wrong if it differs by more than half of the tolerance', () => {
    expect(skew(-3600)).toMatch(/^its clock is 3(599|60\d) s behind this one$/)
    expect(skew(3600)).toMatch(/^its clock is 3(60\d|59\d) s ahead of this one$/)
    expect(skew(-140)).toBeUndefined()
    expect(skew(140)).toBeUndefined()
    expect(skew(-160)).toMatch(/behind/)
    expect(skew(160)).toMatch(/ahead of/)
    expect(skew(-90, 100)).toMatch(/behind/)
  })

  it('is not known without a Date header', () => {
    expect(clockSkew(answer(401), 300)).toBeUndefined()
    expect(clockSkew(answer(401, '', { date: 'soon' }), 300)).toBeUndefined()
    expect(clockSkew(none, 300)).toBeUndefined()
  })
})
