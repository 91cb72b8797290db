/** The longest pause that a receiver can ask for, in seconds. */
const maxRetryAfterSeconds = 24 * 60 * 60

/**
 * The pause that a Retry-After header asks for, in seconds, capped at a day. Reads both forms, seconds and an HTTP date;
 * `undefined` for anything else. `now` is the system time in unix milliseconds, to compare with the date.
 */
export function retryAfterSeconds(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  const asked = /^\d+$/.test(text) ? Number(text) : (dateOf(text) - now) / 1000
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), maxRetryAfterSeconds)
}

/** Checks the form first, because `Date.parse` also accepts texts such as `1.5`. */
const dateOf = (text: string) =>
  /^[A-Z][a-z]+,? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN
