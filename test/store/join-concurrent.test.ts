import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { joinConcurrent } from '../../src/store/join-concurrent.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it.each([
  ['ends well', async () => ({ state: 'done', value: 1, attempt: 1 }) as const],
  ['fails', () => Promise.reject(new Error('failed'))],
])('leaves no timer behind when the concurrent %s', async (_how, fly) => {
  await joinConcurrent({ run: fly(), contentHash: 'hash' }, 2)
  expect(vi.getTimerCount()).toBe(0)
})
