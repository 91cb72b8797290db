/** The longest pause that a receiver can ask for, in seconds. */
export const maxRetryAfterSeconds = 24 * 60 * 60

/**
 * The pause that a Retry-After header asks for, in seconds, capped at a day. Reads both forms, seconds and an HTTP date;
 * `undefined` for anything else. `now` is unix milliseconds by the system clock, which the date is compared with.
 */
export function retryAfterSeconds(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  const asked = /^\d+$/.test(text) ? Number(text) : (dateOf(text) - now) / 1000
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), maxRetryAfterSeconds)
}

/** `Date.parse` alone reads far more than HTTP dates, such as `1.5`. */
const dateOf = (text: string) =>
  /^[A-Z][a-z]+,? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN
