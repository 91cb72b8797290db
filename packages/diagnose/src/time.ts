/** `2023-11-14T22:13:20Z`. */
export function time(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString().replace('.000Z', 'Z')
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** `2 hours 5 minutes`: the two largest units, which is as much as a person needs. */
export function duration(seconds: number): string {
  let rest = Math.abs(Math.round(seconds))
  const parts: string[] = []
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 && parts.length < 2) {
      parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
    }
  }
  return parts.join(' ') || '0 seconds'
}

/** How long ago, or how far ahead. */
export function age(seconds: number): string {
  if (seconds === 0) {
    return 'now'
  }
  return seconds > 0 ? `${duration(seconds)} ago` : `${duration(seconds)} ahead`
}
