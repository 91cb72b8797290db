import { digits } from './digits.js'

/** The lengths in seconds, from the shortest unit to the longest. */
const units = [
  [1, 'a second'],
  [60, 'a minute'],
  [3600, 'an hour'],
  [86_400, 'a day'],
  [604_800, 'a week'],
] as const

interface RateOptions {
  /** Whether more came than was counted. */
  readonly isCapped?: boolean
  /** The count of a rate to compare with. Both get the same unit. */
  readonly beside?: number
}

/** `2.5 an hour`: `count` in `seconds`, in the shortest unit that gives about 1 or more. */
export function rateWords(
  count: number,
  seconds: number,
  { isCapped = false, beside = 0 }: RateOptions = {},
): string {
  if (count === 0) {
    return 'none'
  }
  const least = Math.min(count, beside || count)
  const [length, unit] = units.find(([each]) => rounded((least * each) / seconds) >= 1) ?? units[4]
  return `${digits(rounded((count * length) / seconds))}${isCapped ? '+' : ''} ${unit}`
}

/** One digit after the point below ten. */
const rounded = (value: number) => (value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value))
