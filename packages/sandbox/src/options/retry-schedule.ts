/** A named schedule, or the seconds before each further attempt. */
export type RetrySchedule = 'fast' | 'standard' | 'none' | readonly number[]

const minutes = 60
const hours = 60 * minutes

/** `standard` is the schedule of Standard Webhooks: ten attempts within some three days. */
const schedules: Readonly<Record<string, readonly number[]>> = {
  fast: [1, 2, 5, 10, 30],
  standard: [
    5,
    5 * minutes,
    30 * minutes,
    2 * hours,
    5 * hours,
    10 * hours,
    14 * hours,
    20 * hours,
    24 * hours,
  ],
  none: [],
}

/** True for the name of a schedule, and for up to 100 pauses of at most 30 days. */
export function isSchedule(retry: unknown): retry is RetrySchedule {
  if (typeof retry === 'string') {
    return Object.hasOwn(schedules, retry)
  }
  return (
    Array.isArray(retry) &&
    retry.length <= 100 &&
    // Spread, because `every` leaves out holes.
    [...retry].every((pause) => typeof pause === 'number' && pause >= 0 && pause <= 30 * 24 * hours)
  )
}

/** The seconds before each further attempt. */
export const scheduleOf = (retry: RetrySchedule): readonly number[] =>
  typeof retry === 'string' ? (schedules[retry] as readonly number[]) : retry
