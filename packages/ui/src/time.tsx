import { signal } from './signals.js'

/** The time of the sandbox in unix milliseconds, renewed each second. A page sets it to run by another clock. */
export const now = signal(Date.now())

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** `14:02:13` in the zone of the reader. */
export function clockTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
}

/** As {@link clockTime}, with milliseconds. */
export const exactTime = (at: number) =>
  `${clockTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`

const zoned = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'long' })

/** `2026-11-24 06:10:12 GMT+3`: date, time and zone, in the zone of the reader. The text itself if it is not a time. */
export function zonedTime(at: string): string {
  const time = Date.parse(at)
  return Number.isNaN(time) ? at : zoned.format(time)
}

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

/** How long ago a time is, or until then, and always current; on hover the whole date. */
export function Ago({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={zonedTime(at)}>
      {relativeTime(Date.parse(at), now.value)}
    </time>
  )
}

interface TimeProps {
  /** An ISO date. */
  readonly at: string
  /** Shows milliseconds. */
  readonly isExact?: boolean
}

/** A time of day; on hover the whole date, and how long ago that is. */
export function Time({ at, isExact = false }: TimeProps) {
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={`${zonedTime(at)}, ${relativeTime(time, now.peek())}`}>
      {isExact ? exactTime(time) : clockTime(time)}
    </time>
  )
}
