/** From the shortest unit to the longest. */
const units = [
  [1, 'a second'],
  [60, 'a minute'],
  [3600, 'an hour'],
  [86_400, 'a day'],
  [604_800, 'a week'],
] as const

/**
 * `2.5 an hour`: the rate of `count` events in `seconds`, in the shortest unit that gives about 1 or more. `isCapped` if more
 * events came than were counted.
 */
export function rateWords(count: number, seconds: number, isCapped = false): string {
  if (count === 0) {
    return 'none'
  }
  const perUnit = units.map(([length, unit]) => [rounded((count * length) / seconds), unit] as const)
  const [rate, unit] = perUnit.find(([value]) => value >= 1) ?? [rounded((count * 604_800) / seconds), 'a week']
  return `${rate.toLocaleString('en')}${isCapped ? '+' : ''} ${unit}`
}

/** One digit after the point below ten. */
const rounded = (value: number) => (value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value))
