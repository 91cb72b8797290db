import { setImmediate } from 'node:timers/promises'
import { eventRow } from '../views/event-row.js'
import type { EventRow, Page } from '../wire.js'
import { bodyMatcher } from './body-search.js'
import { filterOf } from './filter.js'
import { type Call, cursorOf } from './route.js'
import { withBodies } from './with-bodies.js'

/** A search stops after this many events, or after this many bytes of bodies. */
const mostRead = 2000
const mostBytes = 16 * 1024 * 1024

/** Whether the store cannot search for it: it does not know bodies, and it does not know what a mask hides. */
export const isVisibleSearch = ({ options, query }: Call): boolean =>
  Boolean(query.get('body') || (options.mask && (query.get('text') || query.get('resource'))))

/**
 * The events whose body or error has what the person looks for, newest first. It compares with what the person may see. So
 * `searched` and `next` say nothing about a match that a mask hides: otherwise a person could guess a masked value by searching
 * for it. Reads a limited number of bodies, and says where it stopped.
 */
export async function searchVisible(call: Call, limit: number): Promise<Page<EventRow>> {
  const { receiver, options, query } = call
  const { sealedKeys } = options
  const { text, resource } = options.mask ? hiddenConditions(query) : {}
  const hasBody = query.get('body') ? await bodyMatcher(call) : () => true
  const filter = { ...filterOf(query), ...(text && { text: undefined }) }
  const isCounted = text !== undefined || Boolean(query.get('body'))
  const rows: EventRow[] = []
  let [searched, bytes, last] = [0, 0, cursorOf(query)]
  const hidden = { events: 0, bytes: 0 }
  const page = (next = {}) => ({ rows, ...(isCounted && { searched }), ...next })
  for await (const event of withBodies(receiver, { ...filter, order: 'newest', after: last })) {
    // The process also serves deliveries.
    await setImmediate()
    const row = text || resource ? eventRow(event, options) : undefined
    if (resource && row?.resource !== resource) {
      // It is as if it were not there. A page that ends here has no next one, which would say that it is.
      hidden.events += 1
      hidden.bytes += event.body.byteLength
      if (hidden.events >= mostRead || hidden.bytes >= mostBytes) {
        return page()
      }
      continue
    }
    if (rows.length >= limit || searched >= mostRead || bytes >= mostBytes) {
      return page({ next: last })
    }
    searched += 1
    bytes += event.body.byteLength
    last = event.key
    const error = sealedKeys?.cover(row?.lastError ?? '') ?? row?.lastError
    if (hasBody(event.body) && (!text || error?.toLowerCase().includes(text))) {
      rows.push(row ?? eventRow(event, options))
    }
  }
  return page()
}

/** The conditions that a mask may hide in an event. */
const hiddenConditions = (query: URLSearchParams) => ({
  text: query.get('text')?.toLowerCase() || undefined,
  resource: query.get('resource') || undefined,
})
