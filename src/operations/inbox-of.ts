import { ConfigurationError } from '../errors.js'
import type { Settings } from '../options/settings.js'
import type { Inbox } from '../store/inbox.js'
import { dedupeKey } from '../store/key.js'
import { checkId } from './check-arguments.js'

/** The inbox of a receiver. Throws `ConfigurationError` `invalid_store` where its store keeps no bodies. */
export function inboxOf({ store }: Settings): Inbox<unknown> {
  if (store.inbox) {
    return store.inbox
  }
  throw new ConfigurationError('invalid_store', 'this needs a store that keeps bodies, such as sqliteStore()')
}

/** The key of an event of this receiver’s endpoint. Rejects with `ConfigurationError` `invalid_option`. */
export async function eventKey({ endpoint }: Settings, name: string, eventId: unknown): Promise<string> {
  return dedupeKey(endpoint, checkId(name, eventId))
}
