import { describe, expect, test } from 'vitest'
import { ApiError } from '../src/index.js'
import { pauseBeforeRetry } from '../src/retry.js'
import { retryAfterSeconds } from '../src/retry-after.js'
import { make, problem } from './setup/create-wallet.js'
import { failureOf, json, quickClient, startService, wallet } from './setup/service.js'

describe('a retry waits', () => {
  const settings = {
    maxRetries: 10,
    firstPauseSeconds: 0.5,
    longestPauseSeconds: 8,
    longestRetryAfterSeconds: 60,
  }
  const call = { method: 'GET', path: '/', requests: 1, idempotencyKey: undefined }
  const answered = (status: number, seconds?: number) =>
    new ApiError(
      call,
      {
        status,
        code: undefined,
        param: undefined,
        requestId: undefined,
        retryAfterSeconds: seconds,
        body: '',
      },
      '',
    )

  test('twice as long each time, up to the longest pause', () => {
    const longest = Array.from({ length: 7 }, (_, retries) =>
      pauseBeforeRetry(answered(503), retries, settings, () => 1),
    )
    expect(longest).toEqual([0.5, 1, 2, 4, 8, 8, 8])
  })

  test('a random part of that, so that clients do not retry together', () => {
    expect(pauseBeforeRetry(answered(503), 3, settings, () => 0)).toBe(0)
    const pauses = Array.from({ length: 200 }, () => pauseBeforeRetry(answered(503), 3, settings) ?? -1)
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...pauses)).toBeLessThan(4)
    expect(new Set(pauses).size).toBeGreaterThan(100)
  })

  test('never less than Retry-After', () => {
    expect(pauseBeforeRetry(answered(429, 7), 0, settings, () => 0)).toBe(7)
    expect(pauseBeforeRetry(answered(429, 7), 0, settings, () => 1)).toBe(7.5)
  })

  test('not at all if Retry-After is too long: the call ends, and the error has the duration', async () => {
    expect(pauseBeforeRetry(answered(429, 60), 0, settings, () => 0)).toBe(60)
    expect(pauseBeforeRetry(answered(429, 61), 0, settings, () => 0)).toBeUndefined()
    const service = await startService(problem(503, { 'retry-after': '3600' }))
    const failure = await failureOf(make(quickClient(service.url)))
    expect(failure).toMatchObject({ requests: 1, retryAfterSeconds: 3600 })
  })

  test('as long as the service asks, over a socket', async () => {
    const service = await startService(problem(429, { 'retry-after': '1' }), json(201, wallet))
    const start = performance.now()
    await make(quickClient(service.url))
    expect(performance.now() - start).toBeGreaterThanOrEqual(990)
  })

  test.each([
    ['seconds', { 'retry-after': '120' }, 120],
    [
      'a date, by the clock of the service',
      { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
      30,
    ],
    [
      'a date that is past',
      { 'retry-after': 'Wed, 21 Oct 2015 07:27:00 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
      0,
    ],
    ['a negative number', { 'retry-after': '-1' }, undefined],
    ['a word', { 'retry-after': 'soon' }, undefined],
    ['a number without end', { 'retry-after': '9'.repeat(400) }, undefined],
    ['a date that is none', { 'retry-after': 'Wed, 99 Xyz 2015 07:28:30 GMT' }, undefined],
    ['nothing', {}, undefined],
  ])('reads %s', (_case, headers, expected) => {
    expect(retryAfterSeconds(new Headers(headers as Record<string, string>))).toBe(expected)
  })

  test('a date without a Date header is read by our own clock', () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    const seconds = retryAfterSeconds(new Headers({ 'retry-after': inAMinute })) ?? 0
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
  })
})
