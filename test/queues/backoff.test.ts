import { expect, test } from 'vitest'
import { defaultRetry, pauseAfter } from '../../src/timing/backoff.js'

const retry = { attempts: 20, firstPauseSeconds: 3, longestPauseSeconds: 20 }
const longest = (attempt: number) => pauseAfter(attempt, retry, () => 1)
const shortest = (attempt: number) => pauseAfter(attempt, retry, () => 0)

test('a pause doubles with each attempt, up to the longest', () => {
  expect([1, 2, 3, 4, 5, 100].map(longest)).toEqual([3, 6, 12, 20, 20, 20])
})

test('pauses spread over the upper half of their length', () => {
  expect([1, 2, 3, 4].map(shortest)).toEqual([1.5, 3, 6, 10])
  expect(pauseAfter(1, retry, () => 0.5)).toBe(2.25)
  const pauses = new Set(Array.from({ length: 20 }, () => pauseAfter(1, retry)))
  expect(pauses.size).toBeGreaterThan(1)
})

test('by default the pauses begin at a second and end at an hour', () => {
  expect([1, 12, 13, 20].map((attempt) => pauseAfter(attempt, defaultRetry, () => 1))).toEqual([
    1, 2048, 3600, 3600,
  ])
  expect(defaultRetry.attempts).toBe(20)
})
