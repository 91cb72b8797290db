import { describe, expect, test } from 'vitest'
import { HandlerFailure, NotCalled } from '../../src/errors.js'
import {
  type FailedAttempt,
  isUncounted,
  mostAttempts,
  withAttempt,
  withLost,
  withSuccess,
} from '../../src/store/failed-attempt.js'

const failed = (generation: number, attempt: number, rest: Partial<FailedAttempt> = {}): FailedAttempt => ({
  generation,
  attempt,
  at: '2026-01-02T03:04:05.678Z',
  error: 'Error: failed',
  ...rest,
})

const lost = (generation: number, attempt: number, count: number) => ({ generation, attempt, lost: count })

describe('withAttempt', () => {
  test('lets the note of the queue replace that of once on the same attempt', () => {
    const noted = failed(0, 2, { error: 'handler_failed: Error: failed', retryAt: '2026-01-02T03:05:00Z' })
    for (const before of [[], [failed(0, 1)], [failed(0, 0), failed(0, 1)]]) {
      expect(withAttempt([...before, failed(0, 2)], noted, true)).toEqual([...before, noted])
    }
  })

  test.each([
    ['another attempt', failed(0, 1), true],
    ['another generation', failed(1, 2), true],
    ['an attempt that the queue has noted', failed(0, 2, { retryAt: '2026-01-02T03:05:00Z' }), true],
    ['the same attempt, but not from the queue', failed(0, 2), false],
  ])('adds to %s', (_, kept, isOfQueue) => {
    expect(withAttempt([kept], failed(0, 2), isOfQueue)).toEqual([kept, failed(0, 2)])
  })

  test('keeps the newest', () => {
    let kept: readonly FailedAttempt[] = []
    for (let attempt = 1; attempt <= mostAttempts + 5; attempt++) {
      kept = withAttempt(kept, failed(0, attempt), false)
    }
    expect(kept.map(({ attempt }) => attempt)).toEqual(Array.from({ length: mostAttempts }, (_, i) => i + 6))
  })
})

test('a success before a replay is kept, and the first of a history stays', () => {
  const success = { generation: 0, attempt: 1, at: '2026-01-02T03:04:05.678Z' }
  let kept = withSuccess([], success)
  expect(kept).toEqual([{ ...success, isDone: true }])
  for (let attempt = 1; attempt <= mostAttempts + 5; attempt++) {
    kept = withAttempt(kept, failed(1, attempt), false)
  }
  expect(kept).toHaveLength(mostAttempts)
  expect(kept[0]).toEqual({ ...success, isDone: true })
  expect(kept[1]).toEqual(failed(1, 7))
})

describe('withLost', () => {
  const now = { generation: 0, ended: 0, isDone: false }

  test('adds nothing where each attempt is kept', () => {
    const kept = [failed(0, 0), failed(0, 1), failed(0, 1), failed(0, 2)]
    expect(withLost(kept, { ...now, ended: 2 })).toEqual(kept)
    expect(withLost(kept, { ...now, ended: 3, isDone: true })).toEqual(kept)
    expect(withLost([], { ...now, ended: 1, isDone: true })).toEqual([])
  })

  test('names the attempts before, between and after those that are kept', () => {
    const kept = [failed(0, 2), failed(0, 5), failed(1, 3)]
    expect(withLost(kept, { generation: 1, ended: 4, isDone: false })).toEqual([
      lost(0, 1, 1),
      failed(0, 2),
      lost(0, 4, 2),
      failed(0, 5),
      lost(1, 2, 2),
      failed(1, 3),
      lost(1, 4, 1),
    ])
  })

  test('names the attempts before a success before a replay', () => {
    const success = { ...failed(0, 3), isDone: true } as const
    expect(withLost([success], { generation: 1, ended: 0, isDone: false })).toEqual([lost(0, 2, 2), success])
  })

  test('names those of an event that nothing is kept of', () => {
    expect(withLost([], { ...now, ended: 500 })).toEqual([lost(0, 500, 500)])
    expect(withLost([], { generation: 2, ended: 2, isDone: true })).toEqual([lost(2, 1, 1)])
  })

  test('takes the attempts before the oldest of a full history for kept', () => {
    const kept = Array.from({ length: mostAttempts }, (_, i) => failed(0, i + 7))
    expect(withLost(kept, { ...now, ended: mostAttempts + 6 })).toEqual(kept)
  })

  test('takes what came between the first success and the rest of a full history for kept', () => {
    const success = { ...failed(0, 1), isDone: true } as const
    const rest = Array.from({ length: mostAttempts - 1 }, (_, i) => failed(1, i + 7))
    const ended = mostAttempts + 5
    expect(withLost([success, ...rest], { generation: 1, ended, isDone: false })).toEqual([success, ...rest])
    expect(withLost([success, ...rest.slice(1)], { generation: 1, ended, isDone: false })).toEqual([
      success,
      lost(1, 7, 7),
      ...rest.slice(1),
    ])
  })

  test('takes a number that begins again in one generation for an event that was accepted again', () => {
    const kept = [failed(0, 2), failed(0, 1)]
    expect(withLost(kept, { ...now, ended: 1 })).toEqual([lost(0, 1, 1), ...kept])
  })
})

test.each([
  ['a handler that failed', new HandlerFailure(new Error('failed')), false],
  ['a handler that was stopped', new HandlerFailure(new Error('stopped'), undefined, 1, false), true],
  ['a handler that was not called', new NotCalled('too late'), true],
  ['another error', new Error('failed'), false],
  ['no error', undefined, false],
])('says whether the failure of %s counts', (_, error, expected) => {
  expect(isUncounted(error)).toBe(expected)
})
