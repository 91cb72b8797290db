/** `340 ms`, `3.4 s`, `5 min`, `2 h`, `4 d`: the largest unit that fits, with one digit after the point below ten. */
export function duration(milliseconds: number): string {
  const seconds = Math.abs(milliseconds) / 1000
  if (seconds < 0.9995) {
    return `${Math.round(seconds * 1000)} ms`
  }
  const [size, unit] =
    seconds < 60 ? [1, 's'] : seconds < 3600 ? [60, 'min'] : seconds < 86_400 ? [3600, 'h'] : [86_400, 'd']
  const value = seconds / size
  return `${value < 9.95 ? Number(value.toFixed(1)) : Math.round(value)} ${unit}`
}

/** `5 s ago`, `in 3 min` or `now`. */
export function relativeTime(at: number, from: number): string {
  const distance = at - from
  if (Math.abs(distance) < 1000) {
    return 'now'
  }
  // Ages in tenths of a second would only be restless.
  const words = duration(Math.round(distance / 1000) * 1000)
  return distance < 0 ? `${words} ago` : `in ${words}`
}
