/** How failed jobs are tried again. Durations in seconds. */
export interface Retry {
  /** How often an event is tried before it is dead. Default 20. */
  readonly attempts?: number
  /** The pause after the first failure; it doubles with each further one. Default 1 s. */
  readonly firstPauseSeconds?: number
  /** The longest pause. Default 3600 s. */
  readonly longestPauseSeconds?: number
}

export const defaultRetry: Required<Retry> = { attempts: 20, firstPauseSeconds: 1, longestPauseSeconds: 3600 }

/** The pause after a failed attempt, counted from 1: exponential, with “equal jitter” against herds. */
export function pauseAfter(
  attempt: number,
  retry: Required<Retry>,
  random: () => number = Math.random,
): number {
  const full = Math.min(retry.longestPauseSeconds, retry.firstPauseSeconds * 2 ** (attempt - 1))
  return full / 2 + (full / 2) * random()
}
