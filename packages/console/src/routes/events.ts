import { setImmediate } from 'node:timers/promises'
import type { Receiver, StoredEvent } from 'webhook-inbox'
import type { Problem } from '../problem.js'
import { attemptRows } from '../views/attempt-rows.js'
import { auditsOfEvent } from '../views/audits-of-event.js'
import { beforeAct } from '../views/before-act.js'
import { bodyView } from '../views/body-view.js'
import { discardOf, eventWas } from '../views/discard.js'
import { editedCopies } from '../views/edited-copies.js'
import { eventRow } from '../views/event-row.js'
import { explanationOf } from '../views/explanation.js'
import { givenUpOf } from '../views/given-up.js'
import { hiddenValues, withoutHidden } from '../views/hidden-values.js'
import { inQuarantine } from '../views/in-quarantine.js'
import { laterDone } from '../views/later-done.js'
import { roundedOf } from '../views/rounded.js'
import { needsReports, withNotes } from '../views/row-notes.js'
import { type SinceSuccess, sinceSuccess } from '../views/since-success.js'
import type { Body, Discarded, EventDetail, EventRow, InQuarantine, Page } from '../wire.js'
import { filterOf } from './filter.js'
import { noEvent } from './gone.js'
import { parts } from './part.js'
import { type Call, cursorOf, limitOf, type Route } from './route.js'
import { isVisibleSearch, searchVisible } from './visible-search.js'

export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/events',
    action: 'events:read',
    async run(call): Promise<Page<EventRow>> {
      const { receiver, options, query } = call
      const limit = limitOf(query)
      if (isVisibleSearch(call)) {
        const found = await searchVisible(call, limit)
        return { ...found, rows: await withNotes(receiver, found.rows, call.mayMissReports) }
      }
      const page = { limit: limit + 1, after: cursorOf(query), order: 'newest', bodies: false } as const
      const events = await receiver.list({ ...filterOf(query), ...page })
      const last = events.length > limit ? events[limit - 1] : undefined
      const rows: EventRow[] = []
      for (const event of events.slice(0, limit)) {
        rows.push(eventRow(await forMask(call, event), options))
        // A mask takes time for each row, and the process also serves deliveries.
        await setImmediate()
      }
      return {
        rows: await withNotes(receiver, rows, call.mayMissReports),
        ...(last && { next: last.key }),
      }
    },
  },
  {
    method: 'GET',
    path: '/events/:id',
    action: 'events:read',
    async run(call): Promise<EventDetail | Discarded | InQuarantine> {
      const { receiver, options, param, may } = call
      const event = await receiver.inspect(param('id'))
      if (!event) {
        return missing(call, param('id'))
      }
      const hidden = hiddenValues(event.body, options.mask)
      const hasFailed = event.state === 'failed' || event.state === 'dead'
      const mayReadAudits = await may('audits:read')
      const explained = explainOnce(receiver)
      const { success, ...about } = await parts<
        Pick<EventDetail, 'explanation' | 'laterDone' | 'copies' | 'parentState' | 'audits' | 'givenUp'> &
          Partial<InQuarantine> & {
            success?: SinceSuccess
          }
      >(call, {
        explanation: async () => {
          const found = await explanationOf(explained, event.id, mayReadAudits)
          return found && call.mayMissReports && needsReports.includes(found.reason)
            ? undefined
            : withoutHidden(found, hidden)
        },
        success: async () => (hasFailed ? sinceSuccess(receiver, options, event) : undefined),
        laterDone: async () => (isOver(event) ? laterDone(receiver, event) : undefined),
        copies: () => editedCopies(receiver, event),
        parentState: async () =>
          event.parent === undefined ? undefined : (await receiver.inspect(event.parent))?.state,
        givenUp: async () => (event.state === 'dead' ? givenUpOf(receiver, event, mayReadAudits) : undefined),
        quarantined: () => inQuarantine(receiver, event.id, explained),
        audits: async () => (mayReadAudits ? auditsOfEvent(receiver, event.id) : undefined),
      })
      const rounded = roundedOf(event)
      const attempts = event.attempts && attemptRows(event, hidden, options.mask !== undefined)
      const row = {
        ...eventRow(event, options),
        ...(rounded !== undefined && { rounded: withoutHidden(rounded, hidden) }),
      }
      return {
        ...row,
        ...(attempts && { attempts }),
        ...success,
        ...about,
        before: beforeAct({ ...row, ...about }, receiver),
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

/** Two parts of a view need the explanation of the same event. */
function explainOnce(receiver: Receiver): Pick<Receiver, 'explain'> {
  let found: ReturnType<Receiver['explain']> | undefined
  return {
    explain(id) {
      found ??= receiver.explain(id)
      return found
    },
  }
}

/** What is known of an id that no event has. Throws a `Problem` if it is nothing. */
async function missing(call: Call, id: string): Promise<Discarded | InQuarantine> {
  const quarantined = await inQuarantine(call.receiver, id)
  const found = quarantined && { quarantined }
  try {
    return { ...(await discardedOr(call, id, noEvent)), ...found }
  } catch (error) {
    if (found && error === noEvent) {
      return found
    }
    throw error
  }
}

/** Only such an event can be replayed. */
const isOver = ({ state }: StoredEvent) => state === 'dead' || state === 'done'

/** An event with its body if the mask has to look into it. One body at a time, because each may be large. */
async function forMask({ receiver, options }: Call, event: StoredEvent): Promise<StoredEvent> {
  const isShowing = event.lastError !== undefined || event.resource !== undefined
  return (options.mask && isShowing && (await receiver.inspect(event.id))) || event
}

/** The event with this id. Throws a `Problem` if none is kept. */
export async function eventOf(receiver: Receiver, id: string): Promise<StoredEvent> {
  const event = await receiver.inspect(id)
  if (event) {
    return event
  }
  throw noEvent
}

/** Who discarded the event or the delivery, if that is known. `audits` reads what else was done to it. Otherwise throws `problem`. */
export async function discardedOr(
  { receiver, may, options }: Call,
  idOrKey: string,
  problem: Problem,
  audits: typeof auditsOfEvent = auditsOfEvent,
): Promise<Discarded> {
  const isNamed = await may('audits:read')
  const discard = await discardOf(receiver, idOrKey, isNamed)
  if (!discard) {
    throw problem
  }
  const was =
    audits === auditsOfEvent &&
    discard.undoUntil !== undefined &&
    (await eventWas(receiver, idOrKey, options))
  return { discard, ...(was && { was }), ...(isNamed && { audits: await audits(receiver, idOrKey) }) }
}
