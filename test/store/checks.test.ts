import { describe, expect, test } from 'vitest'
import { checkedAudit } from '../../src/store/audit-log.js'
import {
  checkChoice,
  checkLimit,
  checkName,
  checkPrune,
  checkSeconds,
  checkText,
  checkTime,
  isDriverValue,
} from '../../src/store/check-values.js'
import { checkScope } from '../../src/store/endpoint-scope.js'
import { checkEventRef } from '../../src/store/event-ref.js'
import { withType } from '../../src/store/failure-log.js'
import { SingleFlight } from '../../src/store/single-flight.js'
import type { OnceOutcome } from '../../src/store/store.js'
import { deferred, eventRef } from './scripted-leases.js'

describe('an event', () => {
  const good = {
    ...eventRef(),
    resource: 'r',
    traceContext: 'c',
    isKept: true,
    seen: { attempt: 0, generation: 0, failures: 0 },
  }

  test('with every part, or without those that may be absent, is accepted', () => {
    expect(() => checkEventRef(good)).not.toThrow()
    expect(() => checkEventRef(eventRef())).not.toThrow()
  })

  test.each(['key', 'contentHash', 'endpoint', 'id', 'type', 'createdAt', 'resource', 'traceContext'])(
    'needs a text as its %s',
    (part) => {
      for (const value of [7, null, ['a'], { a: 1 }]) {
        expect(() => checkEventRef({ ...good, [part]: value } as never)).toThrow(
          `the ${part} of an event must be a string`,
        )
      }
    },
  )

  test.each(['leaseSeconds', 'retentionSeconds', 'workSeconds', 'waitSeconds'])(
    'needs a number as its %s',
    (part) => {
      for (const value of ['7', Number.NaN, undefined]) {
        const durations = { ...good.durations, [part]: value } as never
        expect(() => checkEventRef({ ...good, durations })).toThrow(`${part} must be a number of seconds`)
      }
    },
  )

  test('needs bytes, durations and a boolean', () => {
    expect(() => checkEventRef({ ...good, body: 'text' } as never)).toThrow(
      'the body of an event must be bytes',
    )
    expect(() => checkEventRef({ ...good, durations: undefined } as never)).toThrow(
      'leaseSeconds must be a number of seconds',
    )
    expect(() => checkEventRef({ ...good, isKept: 1 } as never)).toThrow(
      'isKept of an event must be a boolean',
    )
    expect(() => checkEventRef({ ...good, claim: { release: async () => {} } })).not.toThrow()
    for (const claim of [null, 'a claim']) {
      expect(() => checkEventRef({ ...good, claim } as never)).toThrow(
        'the claim of an event must be an object',
      )
    }
    expect(() => checkEventRef({ ...good, seen: null } as never)).toThrow(
      'the attempt that was seen of an event must be a whole number',
    )
    for (const part of ['attempt', 'generation', 'failures']) {
      expect(() => checkEventRef({ ...good, seen: { ...good.seen, [part]: 1.5 } })).toThrow(
        `the ${part} that was seen of an event must be a whole number`,
      )
    }
  })
})

test.each<[(value: never) => unknown, unknown, string]>([
  [(value) => checkText('name', value), 7, 'name must be a string'],
  [(value) => checkSeconds('time', value), '7', 'time must be a number of seconds'],
  [(value) => checkSeconds('time', value), Number.POSITIVE_INFINITY, 'time must be a number of seconds'],
  [(value) => checkName('id', value), 'a\0', 'id must have no zero character and no lone surrogate'],
  [(value) => checkName('id', value), '\ud800', 'id must have no zero character and no lone surrogate'],
  [
    (value) => checkChoice('order', value, ['oldest', 'newest']),
    ['oldest'],
    'order must be one of oldest, newest',
  ],
  [
    (value) => checkTime('since', value),
    new Date('0000-12-31'),
    'since must be a valid Date of the years 1 to 9999',
  ],
  [(value) => checkTime('since', value), new Date(253_402_300_800_000), 'since must be a valid Date'],
  [checkLimit, -1, 'limit must be a whole number from 0 to 2147483647'],
  [checkLimit, 2 ** 31, 'limit must be a whole number from 0 to 2147483647'],
  [checkLimit, 1.5, 'limit must be a whole number from 0 to 2147483647'],
  [checkLimit, '1', 'limit must be a whole number from 0 to 2147483647'],
  [(value) => checkPrune(value, 1), Date.now(), 'doneBefore must be a valid Date'],
  [(value) => checkPrune(value, 1), new Date(Number.NaN), 'doneBefore must be a valid Date'],
  [(value) => checkPrune(new Date(), value), -1, 'limit must be a whole number from 0 to 2147483647'],
  [checkScope, null, 'a query must be an object'],
  [checkScope, 'all', 'a query must be an object'],
  [checkScope, {}, 'give an endpoint, a string, or allEndpoints: true'],
  [checkScope, { endpoint: 7 }, 'give an endpoint, a string, or allEndpoints: true'],
  [checkScope, { allEndpoints: false }, 'give an endpoint, a string, or allEndpoints: true'],
  [checkScope, { allEndpoints: true, endpoint: 'a' }, 'give an endpoint, a string, or allEndpoints: true'],
  [checkScope, { endpoint: 'a\0' }, 'endpoint must have no zero character'],
  [checkedAudit, undefined, 'reason must be a string'],
  [checkedAudit, { reason: 'a' }, 'actor must be a string'],
])('a check of an argument, case %#', (check, value, message) => {
  expect(() => check(value as never)).toThrow(message)
})

test('arguments that can be used pass', () => {
  checkText('name', '')
  checkSeconds('time', 0.5)
  checkName('id', '\u{1f4b8}')
  checkChoice('order', 'newest', ['oldest', 'newest'])
  checkTime('since', new Date('0001-01-01'))
  checkTime('since', new Date('9999-12-31T23:59:59.999Z'))
  checkLimit(0)
  checkLimit(2 ** 31 - 1)
  checkPrune(new Date(), 0)
  checkScope({ endpoint: '' })
  checkScope({ endpoint: 'a', allEndpoints: false } as never)
  checkScope({ allEndpoints: true })
  checkedAudit({ reason: '', actor: '' })
})

test.each<[unknown, boolean]>([
  ['', true],
  [7n, true],
  [0.5, true],
  [null, true],
  [new Uint8Array(), true],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
  [undefined, false],
  [true, false],
  [[], false],
  [{}, false],
  [() => {}, false],
])('a driver takes %o: %o', (value, isTaken) => {
  expect(isDriverValue(value)).toBe(isTaken)
})

test('a run that ends late does not end the share of the run after it', async () => {
  const flights = new SingleFlight()
  const [late, next] = [deferred<OnceOutcome<number>>(), deferred<OnceOutcome<number>>()]
  const event = { ...eventRef(), durations: { ...eventRef().durations, waitSeconds: 5 } }
  const first = flights.join(event, 0, () => late.promise)
  const second = flights.join(event, 60, () => next.promise)
  late.resolve({ state: 'done', value: 1, attempt: 1 })
  expect(await first).toMatchObject({ value: 1 })
  const third = flights.join(event, 60, () => Promise.reject(new Error('a third run')))
  next.resolve({ state: 'done', value: 2, attempt: 1 })
  expect(await second).toMatchObject({ value: 2 })
  expect(await third).toMatchObject({ state: 'duplicate' })
})

test('a group of failures notes each type once, and twenty at most', () => {
  const many = Array.from({ length: 20 }, (_, i) => `type.${i}`)
  expect(withType(['a'], 'b')).toEqual(['a', 'b'])
  expect(withType(many.slice(1), 'b')).toHaveLength(20)
  expect([withType(['a'], 'a'), withType(['a'], undefined), withType(many, 'b')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
