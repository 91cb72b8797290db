import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { InboxHealth, InboxPage, StoredEvent, StoredQuarantine } from '../store/inbox.js'
import { type ScopeOption, scopeOf } from './check-arguments.js'
import { eventKey, inboxOf } from './inbox-of.js'

/** What an operator looks at. */
export interface ReadOperations {
  /** Events of the inbox with their bodies, oldest first, 100 by default. */
  list(query?: InboxPage & ScopeOption): Promise<StoredEvent[]>
  /** The event of this endpoint with this id; `undefined` when none is kept. */
  inspect(eventId: string): Promise<StoredEvent | undefined>
  /** Quarantined deliveries with their bodies, newest first, 100 by default. */
  quarantined(query?: { readonly limit?: number | undefined } & ScopeOption): Promise<StoredQuarantine[]>
  /** Counts by state, and the age of the oldest event that is neither done nor dead. Covers the whole store. */
  health(): Promise<InboxHealth>
}

export function readOperations(settings: Settings): ReadOperations {
  const { endpoint } = settings
  return {
    async list(query = {}) {
      const page = givenOptions('list', query, ['state', 'limit', 'after', 'allEndpoints'])
      return inboxOf(settings).list({ ...page, ...scopeOf(page, endpoint) })
    },

    async inspect(eventId) {
      const key = await eventKey(settings, 'eventId', eventId)
      return inboxOf(settings).read(key)
    },

    async quarantined(query = {}) {
      const page = givenOptions('quarantined', query, ['limit', 'allEndpoints'])
      return inboxOf(settings).quarantined({ ...page, ...scopeOf(page, endpoint) })
    },

    health: async () => inboxOf(settings).health(),
  }
}
