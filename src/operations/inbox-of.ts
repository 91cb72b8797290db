import { ConfigurationError, invalidOption } from '../errors.js'
import type { Settings } from '../options/settings.js'
import type { Queue } from '../queue/queue.js'
import type { Inbox } from '../store/inbox.js'
import { dedupeKey } from '../store/key.js'
import { parseQuarantineKey, type StoredQuarantine } from '../store/quarantined-delivery.js'
import { checkId } from './check-arguments.js'

/** The inbox of a receiver. Throws `ConfigurationError` `invalid_store` if its store keeps no bodies. */
export function inboxOf({ store }: Settings): Inbox<unknown> {
  if (store.inbox) {
    return store.inbox
  }
  throw new ConfigurationError('invalid_store', 'this needs a store that keeps bodies, such as sqliteStore()')
}

/** The capabilities that an inbox may lack, with the text of the error. */
const lacks = {
  auditLog: 'this store keeps no audits',
  bulk: 'this store has no bulk operations',
  failures: 'this store keeps no groups of failures',
  flow: 'this needs a store that can hold events back, such as sqliteStore()',
  statistics: 'this store has no statistics',
} as const

/** A capability of the inbox. Throws `ConfigurationError` `invalid_store` if the store lacks it. */
export function capability<Name extends keyof typeof lacks>(
  settings: Settings,
  name: Name,
): NonNullable<Inbox<unknown>[Name]> {
  const found = inboxOf(settings)[name]
  if (found) {
    return found
  }
  throw new ConfigurationError('invalid_store', lacks[name])
}

/** The queue of a receiver. Throws `ConfigurationError` `invalid_option` if it has none. */
export function queueFor(what: string, { queue }: Settings): Queue {
  if (queue) {
    return queue
  }
  throw invalidOption(
    `${what}; fix: give createReceiver one, for example queue: localQueue() from 'webhook-inbox/queues/local'`,
  )
}

/** A plan or a run of this receiver’s endpoint. Those of other endpoints belong to other operators. */
export const ofEndpoint = <T extends { readonly endpoint?: string }>(
  { endpoint }: Settings,
  found: T | undefined,
): T | undefined => (found?.endpoint === endpoint ? found : undefined)

/** The key of an event of this receiver’s endpoint. Rejects with `ConfigurationError` `invalid_option`. */
export async function eventKey({ endpoint }: Settings, name: string, eventId: unknown): Promise<string> {
  return dedupeKey(endpoint, checkId(name, eventId))
}

/**
 * The quarantined delivery under a key, if it belongs to this receiver’s endpoint. Throws `ConfigurationError`
 * `invalid_store` if the store finds none by its key.
 */
export async function quarantinedUnder(
  settings: Settings,
  key: string,
): Promise<StoredQuarantine | undefined> {
  const inbox = inboxOf(settings)
  if (!inbox.readQuarantined) {
    throw new ConfigurationError('invalid_store', 'this store reads no quarantined delivery by its key')
  }
  return parseQuarantineKey(key)?.endpoint === settings.endpoint ? inbox.readQuarantined(key) : undefined
}
