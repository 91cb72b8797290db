import type { Filled } from '../given-options.js'

/** How failed jobs are retried. Durations in seconds. */
export interface Retry {
  /** The number of attempts before an event is dead. Default 20. */
  readonly attempts?: number | undefined
  /** The longest pause after the first failure; the shortest is half of it. Each further failure doubles it. Default 1 s. */
  readonly firstPauseSeconds?: number | undefined
  /** The longest pause. Default 3600 s. */
  readonly longestPauseSeconds?: number | undefined
}

export const defaultRetry: Filled<Retry> = { attempts: 20, firstPauseSeconds: 1, longestPauseSeconds: 3600 }

/** The pause after a failed attempt, counted from 1. Exponential with “equal jitter”, so that retries spread out. */
export function pauseAfter(
  attempt: number,
  retry: Filled<Retry>,
  random: () => number = Math.random,
): number {
  const full = Math.min(retry.longestPauseSeconds, retry.firstPauseSeconds * 2 ** (attempt - 1))
  return full / 2 + (full / 2) * random()
}
