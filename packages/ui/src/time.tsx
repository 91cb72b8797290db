import { relativeTime } from './duration.js'
import { signal } from './signals.js'

/** The time of the sandbox in unix milliseconds, renewed each second. A page sets it to run by another clock. */
export const now = signal(Date.now())

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** `14:02:13` in the zone of the reader. */
export function clockTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
}

/** `Thu Nov 26`, in the zone of the reader. */
export const dayOf = (at: number) => new Date(at).toDateString().slice(0, 10)

/** A time of day. Of another day than today it begins with the day. */
export const datedTime = (at: number, time = clockTime(at)) =>
  dayOf(at) === dayOf(now.peek()) ? time : `${dayOf(at)} ${time}`

/** As {@link clockTime}, with milliseconds. */
export const exactTime = (at: number) =>
  `${clockTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`

const zoned = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'long' })

/** `2026-11-24 06:10:12 GMT+3`: date, time and zone, in the zone of the reader. The text itself if it is not a time. */
export function zonedTime(at: string): string {
  const time = Date.parse(at)
  return Number.isNaN(time) ? at : zoned.format(time)
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

/** A time of day, with the day unless it is today; on hover the whole date, and how long ago that is. */
export function Time({ at, isExact = false }: TimeProps) {
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={`${zonedTime(at)}, ${relativeTime(time, now.peek())}`}>
      {datedTime(time, isExact ? exactTime(time) : undefined)}
    </time>
  )
}
