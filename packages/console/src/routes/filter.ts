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
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) {
    throw new Problem('invalid_request', `${name} must be a time, such as 2026-01-31T12:00:00Z`)
  }
  return time
}
