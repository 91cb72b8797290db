import { contentHash } from '../event/content-hash.js'
import type { Settings } from '../options/settings.js'
import type { EventRef } from '../store/event-ref.js'
import { dedupeKey } from '../store/key.js'
import type { VerifiedEvent } from '../verified-delivery.js'

/**
 * The event as a store sees it. Call it before user code gets the event, because user code could change the data. The data
 * is read before this returns its promise.
 */
export async function identify(
  { endpoint, durations }: Pick<Settings, 'endpoint' | 'durations'>,
  { event, content, body }: Pick<VerifiedEvent, 'event' | 'content' | 'body'>,
): Promise<EventRef> {
  const { id, type, createdAt } = event
  const hash = contentHash({ event, content })
  return {
    key: await dedupeKey(endpoint, id),
    contentHash: await hash,
    durations,
    endpoint,
    id,
    type,
    createdAt,
    body,
  }
}
