import { ApiError, ConnectionError, TimeoutError } from './errors.js'
import type { Settings } from './options.js'

/**
 * The pause before the next request, in seconds, or undefined where the failure is final. Retried are network failures,
 * 429, 5xx, and 409 with `Retry-After`, which means that the first request with this key is still running.
 */
export function pauseBeforeRetry(
  failure: unknown,
  retries: number,
  settings: Settings['retry'],
  random: () => number = Math.random,
): number | undefined {
  if (retries >= settings.maxRetries || !isTransient(failure)) {
    return undefined
  }
  const asked = failure instanceof ApiError ? (failure.retryAfterSeconds ?? 0) : 0
  if (asked > settings.longestRetryAfterSeconds) {
    return undefined
  }
  // Full jitter, so that clients that failed together do not retry together. Never earlier than the service asks.
  const longest = Math.min(settings.longestPauseSeconds, settings.firstPauseSeconds * 2 ** retries)
  return asked + longest * random()
}

function isTransient(failure: unknown): boolean {
  if (failure instanceof ConnectionError || failure instanceof TimeoutError) {
    return true
  }
  if (!(failure instanceof ApiError)) {
    return false
  }
  const { status } = failure
  if (status === 409) {
    return failure.retryAfterSeconds !== undefined
  }
  // 501 and 505 depend only on the request, so a retry would get the same answer.
  return status === 429 || (status >= 500 && status !== 501 && status !== 505)
}
