import { setImmediate } from 'node:timers/promises'
import type { StoredEvent } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { bodyView } from '../views/body-view.js'
import type { Call } from './route.js'

/** A search stops after this many events, or after this many bytes of bodies. */
const mostRead = 2000
const mostBytes = 16 * 1024 * 1024
/** How many events one query of the store reads. */
const batch = 100
/** The conditions that have an index. A search needs one of them. */
const served = ['state', 'type', 'group', 'resource', 'since', 'until']

type List = NonNullable<Parameters<Call['receiver']['list']>[0]>

/** The result of a search so far. */
export interface Found {
  readonly events: readonly StoredEvent[]
  /** How many events were read. */
  readonly searched: number
  /** Where to continue. Absent if every event has been read. */
  readonly next?: string
}

/**
 * The events whose body has a value at a path, newest first: `data.customer.name:Ada`. It compares with what the person
 * may see, so a masked value is not found. Reads a limited number of bodies, and says where it stopped.
 */
export async function searchBodies(call: Call, filter: List, limit: number): Promise<Found> {
  const { receiver, options, query, may } = call
  if (!(await may('bodies:read'))) {
    throw new Problem('forbidden', 'A search in bodies needs the right bodies:read.')
  }
  if (!served.some((name) => query.get(name))) {
    throw new Problem('invalid_request', `A search in bodies also needs one of ${served.join(', ')}.`)
  }
  const matches = matcherOf(query.get('body') ?? '')
  const events: StoredEvent[] = []
  let [searched, bytes, after] = [0, 0, filter.after]
  for (;;) {
    const found = await receiver.list({ ...filter, order: 'newest', limit: batch, after })
    for (const event of found) {
      searched += 1
      bytes += event.body.byteLength
      after = event.key
      if (matches(bodyView(event.body, options.mask).text)) {
        events.push(event)
      }
      // The process also serves deliveries.
      await setImmediate()
      if (events.length >= limit || searched >= mostRead || bytes >= mostBytes) {
        return { events, searched, next: after }
      }
    }
    if (found.length < batch) {
      return { events, searched }
    }
  }
}

/** Throws a `Problem` for anything but a path, a colon and a value. */
function matcherOf(condition: string): (text: string | null) => boolean {
  const colon = condition.indexOf(':')
  if (colon < 1) {
    throw new Problem('invalid_request', 'body must be a path and a value, such as data.customer.name:Ada')
  }
  const path = condition.slice(0, colon).split('.')
  const wanted = condition.slice(colon + 1)
  return (text) => {
    const value = path.reduce<unknown>(memberOf, parse(text))
    return value !== undefined && typeof value !== 'object' && String(value) === wanted
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** A text, or a number of so many characters that JavaScript may round it. */
const textOrLongNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{14,}/g

/** Long numbers become texts, so that a search compares the digits that the page shows. */
function parse(text: string | null): unknown {
  try {
    const exact = text?.replace(textOrLongNumber, (token) => (token.startsWith('"') ? token : `"${token}"`))
    return exact === undefined ? undefined : JSON.parse(exact)
  } catch {
    return undefined
  }
}
