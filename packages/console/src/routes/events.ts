import type { Receiver, StoredEvent } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { bodyView } from '../views/body-view.js'
import { eventRow } from '../views/event-row.js'
import type { Body, EventDetail, EventRow, Explanation, Page } from '../wire.js'
import { auditRow } from './audits.js'
import { filterOf } from './filter.js'
import { cursorOf, limitOf, type Route } from './route.js'

/** How many audits of one event a view shows. */
const mostAudits = 20

export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/events',
    action: 'events:read',
    async run({ receiver, query }): Promise<Page<EventRow>> {
      const limit = limitOf(query)
      const page = { limit: limit + 1, after: cursorOf(query), order: 'newest' } as const
      const events = await receiver.list({ ...filterOf(query), ...page })
      const rows = events.slice(0, limit)
      const last = rows.at(-1)
      return { rows: rows.map(eventRow), ...(events.length > limit && last && { next: last.key }) }
    },
  },
  {
    method: 'GET',
    path: '/events/:id',
    action: 'events:read',
    async run({ receiver, param, may }): Promise<EventDetail> {
      const event = await eventOf(receiver, param('id'))
      const audits = (await may('audits:read'))
        ? await receiver.audits({ eventId: event.id, limit: mostAudits })
        : undefined
      const explanation = await explanationOf(receiver, event.id)
      return {
        ...eventRow(event),
        ...(explanation && { explanation }),
        ...(audits && { audits: audits.map(auditRow) }),
      }
    },
  },
  {
    method: 'GET',
    path: '/events/:id/body',
    action: 'bodies:read',
    async run({ receiver, options, param }): Promise<Body> {
      return bodyView((await eventOf(receiver, param('id'))).body, options.mask)
    },
  },
]

/** `undefined` where the store cannot say it, as one without pauses and workers. */
async function explanationOf(receiver: Receiver, id: string): Promise<Explanation | undefined> {
  try {
    const { reason, sentence } = await receiver.explain(id)
    return { reason, sentence }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'invalid_store') {
      return undefined
    }
    throw error
  }
}

/** The event with this id. Throws a `Problem` where none is kept. */
export async function eventOf(receiver: Receiver, id: string): Promise<StoredEvent> {
  const event = await receiver.inspect(id)
  if (event) {
    return event
  }
  throw new Problem('not_found', 'No event of this id is kept. It may have been pruned or discarded.')
}
