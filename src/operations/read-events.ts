import type { Code } from '../codes.js'
import { invalidOption } from '../errors.js'
import { type ReadEvent, tryReadEvent } from '../event/parse.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import { resourceOf } from '../steps/resource-of.js'
import type { InboxHealth, InboxPage, StoredEvent, StoredQuarantine } from '../store/inbox.js'
import { failureReason, type Reason, readAgain } from './accept-again.js'
import { checkCode, checkId, type ScopeOption, scopeOf } from './check-arguments.js'
import { eventKey, inboxOf, quarantinedUnder } from './inbox-of.js'

/** Which events to list. */
export interface ListQuery extends Omit<InboxPage, 'key'>, ScopeOption {
  /** The id of one event of this receiver’s endpoint. */
  readonly id?: string | undefined
}

/** A quarantined delivery, and what is wrong with it. */
export interface InspectedQuarantine extends StoredQuarantine {
  /**
   * Why a receiver with these options would not accept the body now. Its code is `handler_failed` if the schema or `resource`
   * throws. Absent if only its id may be wrong, as in a delivery that contradicts a stored event.
   */
  readonly rejection?: Reason
  /** Unusual but valid parts of the body, such as a rounded number. Absent if the body cannot be read as an event. */
  readonly warnings?: readonly string[] | undefined
}

/** The methods that read events and deliveries. */
export interface ReadOperations {
  /**
   * Lists the events that meet every given condition, oldest first, 100 by default. With their bodies, unless `bodies` is
   * false. For the next page pass the `key` of the last event as `after`.
   */
  list(query?: ListQuery): Promise<StoredEvent[]>
  /** The event of this endpoint with this id, and its `attempts`; `undefined` when none is kept. */
  inspect(eventId: string): Promise<StoredEvent | undefined>
  /**
   * Quarantined deliveries with their bodies unless `bodies` is false, newest first unless `order` says otherwise, 100 by
   * default. `code` limits them to one reason, and `eventId` to one id of an event. For the next page pass the `place` of the last one as `after`.
   */
  quarantined(
    query?: {
      readonly code?: Code | undefined
      readonly eventId?: string | undefined
      readonly order?: 'oldest' | 'newest' | undefined
      readonly limit?: number | undefined
      readonly after?: number | undefined
      readonly bodies?: boolean | undefined
    } & ScopeOption,
  ): Promise<StoredQuarantine[]>
  /**
   * The quarantined delivery of this endpoint under a `key` that `quarantined` lists, and why it is not valid; `undefined` when
   * none is kept.
   */
  inspectQuarantined(key: string): Promise<InspectedQuarantine | undefined>
  /**
   * Counts events by state, and says how long the oldest unprocessed event has waited. Covers the whole store. SQLite counts
   * a large inbox in parts, so an event whose state changes meanwhile may be counted twice or not at all.
   */
  health(): Promise<InboxHealth>
}

const listOptions = [
  ...(['state', 'type', 'group', 'resource', 'root', 'since', 'until', 'text', 'id'] as const),
  ...(['order', 'limit', 'after', 'bodies', 'allEndpoints'] as const),
]

const quarantinedOptions = ['code', 'eventId', 'order', 'limit', 'after', 'bodies', 'allEndpoints'] as const

export function readOperations(settings: Settings): ReadOperations {
  const { endpoint } = settings
  return {
    async list(query = {}) {
      const { id, ...page } = givenOptions('list', query, listOptions)
      const scope = scopeOf(page, endpoint)
      if (id === undefined) {
        return inboxOf(settings).list({ ...page, ...scope })
      }
      if (scope.allEndpoints) {
        throw invalidOption('list finds an id in one endpoint, so give either id or allEndpoints')
      }
      const key = await eventKey(settings, 'id', id)
      return inboxOf(settings).list({ ...page, ...scope, key })
    },

    async inspect(eventId) {
      const key = await eventKey(settings, 'eventId', eventId)
      return inboxOf(settings).read(key)
    },

    async quarantined(query = {}) {
      const page = givenOptions('quarantined', query, quarantinedOptions)
      checkCode(page.code)
      return inboxOf(settings).quarantined({ ...page, ...scopeOf(page, endpoint) })
    },

    async inspectQuarantined(key) {
      const delivery = await quarantinedUnder(settings, checkId('key', key))
      return delivery && { ...delivery, ...(await checkNow(settings, delivery.body)) }
    },

    health: async () => inboxOf(settings).health(),
  }
}

/** Why the body would not be accepted now, and its warnings. A schema or `resource` that fails is a reason too. */
async function checkNow(
  settings: Settings,
  body: Uint8Array,
): Promise<Pick<InspectedQuarantine, 'rejection' | 'warnings'>> {
  const { warnings } = tryReadEvent(body, settings.inexactNumbers) as Partial<ReadEvent>
  try {
    const read = await readAgain(settings, body)
    if ('code' in read) {
      return { rejection: read, warnings }
    }
    resourceOf(settings, read.event)
    return { warnings }
  } catch (error) {
    return { rejection: failureReason(error), warnings }
  }
}
