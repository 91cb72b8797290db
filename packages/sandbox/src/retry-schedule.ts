import { OptionError } from './option-error.js'

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

/** The seconds before each further attempt. Throws `OptionError`. */
export function resolveSchedule(retry: RetrySchedule): readonly number[] {
  if (typeof retry === 'string' && Object.hasOwn(schedules, retry)) {
    return schedules[retry] as readonly number[]
  }
  const isPauses =
    Array.isArray(retry) &&
    retry.length <= 100 &&
    retry.every((pause) => pause >= 0 && pause <= 30 * 24 * hours)
  if (!isPauses) {
    throw new OptionError('retry', "must be 'fast', 'standard', 'none' or up to 100 pauses in seconds")
  }
  return retry
}
