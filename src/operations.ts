import { ConfigurationError, invalidOption } from './errors.js'
import { givenOptions } from './given-options.js'
import type { Settings } from './options/settings.js'
import { prune } from './prune.js'
import type { Audit, Inbox, InboxHealth, InboxPage, StoredEvent, StoredQuarantine } from './store/inbox.js'
import { dedupeKey } from './store/key.js'
import { parseQuarantineKey } from './store/quarantined-delivery.js'

/** Which events or deliveries to list. */
export interface ScopeOption {
  /** Lists those of every endpoint of the store. Default false: those of this receiver’s endpoint. */
  readonly allEndpoints?: boolean | undefined
}

/**
 * What an operator does with an inbox. These functions check no permissions, and events contain customers’ data:
 * authorize the caller first. Each rejects with `ConfigurationError` `invalid_store` on a store without an inbox, and with
 * `invalid_option` or `unknown_option` for an argument that it cannot use.
 */
export interface Operations {
  /** Events of the inbox with their bodies, oldest first, 100 by default. */
  list(query?: InboxPage & ScopeOption): Promise<StoredEvent[]>
  /** The event of this endpoint with this id; `undefined` when none is kept. */
  inspect(eventId: string): Promise<StoredEvent | undefined>
  /** Quarantined deliveries with their bodies, newest first, 100 by default. */
  quarantined(query?: { readonly limit?: number | undefined } & ScopeOption): Promise<StoredQuarantine[]>
  /**
   * Makes an event run again, whether it is done or dead. Checks no permissions. The audit is kept with the event. Resolves
   * to the new generation of the event. Rejects with `invalid_option` for an unknown id, or an empty reason or actor.
   */
  replay(eventId: string, audit: Audit): Promise<number>
  /**
   * Deletes a dead event by its id, or a quarantined delivery by the `key` that `quarantined` lists. Checks no
   * permissions. The audit is kept. Rejects with `invalid_option` for anything else, and for an empty reason or actor. A later
   * delivery of a discarded event is a new event.
   */
  discard(idOrKey: string, audit: Audit): Promise<void>
  /** Counts by state, and the age of the oldest event that is neither done nor dead. Covers the whole store. */
  health(): Promise<InboxHealth>
  /**
   * Deletes events done longer than `retentionSeconds` ago, and deliveries quarantined longer ago than that, in batches.
   * Covers the whole store. Resolves to how many were deleted. After `start()` the receiver calls it by itself: see
   * `pruneEverySeconds`.
   */
  prune(): Promise<number>
}

export function operations(settings: Settings): Operations {
  const { store, endpoint, queue } = settings

  function inbox(): Inbox<unknown> {
    if (store.inbox) {
      return store.inbox
    }
    throw new ConfigurationError(
      'invalid_store',
      'this needs a store that keeps bodies, such as sqliteStore()',
    )
  }

  const keyOf = async (eventId: string) => dedupeKey(endpoint, checkId('eventId', eventId))

  return {
    async list(query = {}) {
      const page = givenOptions('list', query, ['state', 'limit', 'after', 'allEndpoints'])
      return inbox().list({ ...page, ...scope(page, endpoint) })
    },

    async inspect(eventId) {
      const key = await keyOf(eventId)
      return inbox().read(key)
    },

    async quarantined(query = {}) {
      const page = givenOptions('quarantined', query, ['limit', 'allEndpoints'])
      return inbox().quarantined({ ...page, ...scope(page, endpoint) })
    },

    async replay(eventId, audit) {
      checkAudit('replay', audit)
      if (!queue) {
        throw invalidOption('replay needs a queue that runs the event')
      }
      const key = await keyOf(eventId)
      const stored = await inbox().read(key)
      if (!stored) {
        throw unknownEvent(eventId)
      }
      const job = { key, type: stored.type, endpoint, resource: stored.resource }
      const enqueue = async (tx: unknown, generation: number) => queue.enqueue?.({ ...job, generation }, tx)
      const generation = await inbox().requeue(key, audit, enqueue)
      if (generation === undefined) {
        throw unknownEvent(eventId)
      }
      queue.committed?.({ ...job, generation })
      return generation
    },

    async discard(idOrKey, audit) {
      checkAudit('discard', audit)
      // The key of a quarantined delivery begins with its endpoint: a receiver discards only those of its own.
      const isDelivery = parseQuarantineKey(checkId('idOrKey', idOrKey))?.endpoint === endpoint
      if (isDelivery && (await inbox().discard(idOrKey, audit))) {
        return
      }
      if (await inbox().discard(await keyOf(idOrKey), audit)) {
        return
      }
      throw invalidOption('discard needs the id of a dead event or the key of a quarantined delivery')
    },

    health: async () => inbox().health(),

    prune: async () => prune(settings),
  }
}

function scope({ allEndpoints = false }: { allEndpoints?: unknown }, endpoint: string) {
  if (typeof allEndpoints !== 'boolean') {
    throw invalidOption('allEndpoints must be a boolean')
  }
  return allEndpoints
    ? ({ allEndpoints, endpoint: undefined } as const)
    : ({ allEndpoints, endpoint } as const)
}

function checkId(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') {
    return value
  }
  throw invalidOption(`${name} must be a string that is not empty`)
}

function checkAudit(verb: string, audit: Partial<Audit> | undefined): void {
  for (const part of ['reason', 'actor'] as const) {
    const value: unknown = audit?.[part]
    if (typeof value === 'string' && value.trim() !== '') {
      continue
    }
    throw invalidOption(`${verb} needs a ${part}, which is kept for auditors`)
  }
}

const unknownEvent = (eventId: string) => invalidOption(`no event ${eventId} is kept`)
