import { contentHash } from '../event/content-hash.js'
import type { Settings } from '../options/settings.js'
import type { EventRef } from '../store/event-ref.js'
import { dedupeKey } from '../store/key.js'
import type { VerifiedEvent } from '../verified-delivery.js'

/** The event as a store sees it. Call it before user code gets the event, because user code could change the data. */
export async function identify(
  { endpoint, durations }: Pick<Settings, 'endpoint' | 'durations'>,
  { event, content }: Pick<VerifiedEvent, 'event' | 'content'>,
): Promise<EventRef> {
  const { id, type, createdAt, raw } = event
  return {
    key: await dedupeKey(endpoint, id),
    contentHash: await contentHash({ event, content }),
    durations,
    endpoint,
    id,
    type,
    createdAt,
    body: raw,
  }
}
