import { ConfigurationError } from './errors.js'
import { invalidOption } from './options/checks.js'
import type { Settings } from './options/settings.js'
import type { Audit, Inbox, InboxHealth, InboxPage, StoredEvent, StoredQuarantine } from './store/inbox.js'
import { dedupeKey } from './store/key.js'

/** What an operator does with an inbox. Each rejects with `ConfigurationError` `invalid_store` where there is none. */
export interface Operations {
  /** Events of this endpoint, oldest first; of every endpoint of the store with `allEndpoints: true`. */
  list(query?: InboxPage & { readonly allEndpoints?: boolean }): Promise<StoredEvent[]>
  /** One event by its id. */
  inspect(eventId: string): Promise<StoredEvent | undefined>
  /** Deliveries to this endpoint that were set aside for a person, newest first. */
  quarantined(limit?: number): Promise<StoredQuarantine[]>
  /**
   * Has an event run again, done or dead, whatever ran before. Who and why is kept with it. Resolves to its new
   * generation; rejects with `ConfigurationError` `invalid_option` for an unknown id or an empty reason or actor.
   */
  replay(eventId: string, audit: Audit): Promise<number>
  /** Counts by state, and how long the oldest unprocessed event has waited: of the whole store. */
  health(): Promise<InboxHealth>
  /** Forgets events done longer than `retentionSeconds` ago, in batches; resolves to how many. */
  prune(): Promise<number>
}

/** How many events a store is asked to forget at once; how many a statement of it deletes is its own affair. */
const batch = 1000

export function operations(settings: Settings): Operations {
  const { store, endpoint, queue, retentionSeconds } = settings

  function inbox(): Inbox<unknown> {
    if (store.inbox) return store.inbox
    throw new ConfigurationError(
      'invalid_store',
      'this needs a store that keeps bodies, such as sqliteStore()',
    )
  }

  return {
    list: async ({ allEndpoints, ...page } = {}) =>
      inbox().list(allEndpoints === true ? { ...page, allEndpoints } : { ...page, endpoint }),
    inspect: async (eventId) => inbox().read(await dedupeKey(endpoint, eventId)),
    quarantined: async (limit = 100) => inbox().quarantined({ endpoint, limit }),
    health: async () => inbox().health(),

    async replay(eventId, audit) {
      for (const part of ['reason', 'actor'] as const) {
        if (typeof audit?.[part] === 'string' && audit[part].trim() !== '') continue
        throw invalidOption(`replay needs a ${part}: it is kept for the auditors`)
      }
      if (!queue) throw invalidOption('replay needs a queue to run the event from')
      const key = await dedupeKey(endpoint, eventId)
      const stored = await inbox().read(key)
      if (!stored) throw invalidOption(`no event ${eventId} is kept`)
      const { type, resource } = stored
      const job = { key, type, endpoint, resource }
      const generation = await inbox().requeue(key, audit, async (tx, generation) =>
        queue.enqueue?.({ ...job, generation }, tx),
      )
      if (generation === undefined) throw invalidOption(`no event ${eventId} is kept`)
      queue.committed?.({ ...job, generation })
      return generation
    },

    async prune() {
      const before = new Date(Date.now() - retentionSeconds * 1000)
      let total = 0
      for (let count = batch; count === batch; total += count) count = await store.prune(before, batch)
      return total
    },
  }
}
