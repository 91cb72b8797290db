import type { InboxState, Receiver } from 'webhook-inbox'
import { Problem } from '../problem.js'

export type Filter = NonNullable<Parameters<Receiver['list']>[0]>

const texts = ['id', 'type', 'group', 'resource', 'text'] as const
const times = ['since', 'until'] as const

/** The filter of the address. Blank conditions count as none. Throws a `Problem` for a time that cannot be read. */
export function filterOf(query: URLSearchParams): Filter {
  const given = [...texts, 'state'].flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value] as const] : []
  })
  const spans = times.flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, timeOf(name, value)] as const] : []
  })
  return Object.fromEntries<string | Date | InboxState>([...given, ...spans]) as Filter
}

/** Throws a `Problem` for a time that cannot be read. */
export function timeOf(name: string, value: string): Date {
  const time = parseTime(value)
  if (Number.isNaN(time)) {
    throw new Problem('invalid_request', `${name} must be a time, such as 2026-01-31T12:00:00Z`)
  }
  return new Date(time)
}

/** A date, which is in UTC, or a date and a time with its zone. */
const rfc3339 = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i

/** `Date.parse` alone reads `-1` as the year 2001, `2.1.2026` as February, and the 30th of February as March. */
function parseTime(text: string): number {
  const date = Date.parse(rfc3339.exec(text)?.[1] ?? '')
  const isReal = !Number.isNaN(date) && text.startsWith(new Date(date).toISOString().slice(0, 10))
  return isReal ? Date.parse(text) : Number.NaN
}
