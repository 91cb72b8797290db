import { sha256 } from '#crypto'
import type { EventRef } from '../dedupe/event-ref.js'
import { dedupeKey } from '../dedupe/key.js'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../settings.js'

/** The event as a store sees it. */
export async function identify({ endpoint, terms }: Settings, event: WebhookEvent): Promise<EventRef> {
  const { id, type, createdAt, raw } = event
  return {
    key: await dedupeKey(endpoint, id),
    contentHash: await sha256(raw),
    terms,
    endpoint,
    id,
    type,
    createdAt,
    body: raw,
  }
}
