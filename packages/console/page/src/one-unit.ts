import { digits } from './digits.js'

/** The lengths in seconds, from the shortest unit to the longest. */
const units = [
  [0.001, 'ms'],
  [1, 's'],
  [60, 'min'],
  [3600, 'h'],
  [86_400, 'd'],
] as const

/**
 * Words for durations that are read side by side, such as those of one plot. All are in the unit of the shortest one.
 * Milliseconds only if all are below a second.
 */
export function inOneUnit(seconds: readonly number[]): (each: number) => string {
  const least = Math.max(...seconds) < 1 ? 0 : Math.max(1, Math.min(...seconds))
  const [length, unit] = units.findLast(([length]) => least >= length) ?? units[0]
  return (each) => `${digits(rounded(each / length))} ${unit}`
}

/** Two digits below ten. */
const rounded = (value: number) => (value < 9.95 ? Number(value.toPrecision(2)) : Math.round(value))
