import { sha256 } from '#crypto'
import { type Awaitable, isPending } from '../awaitable.js'
import type { EventRef } from '../dedupe/event-ref.js'
import { dedupeKey } from '../dedupe/key.js'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../settings.js'

/** The event as a store sees it. */
export function identify({ endpoint, terms }: Settings, event: WebhookEvent): Awaitable<EventRef> {
  const { id, type, createdAt, raw: body } = event
  const refer = (key: string, contentHash: string): EventRef => {
    return { key, contentHash, terms, endpoint, id, type, createdAt, body }
  }
  const key = dedupeKey(endpoint, id)
  const contentHash = sha256(body)
  return isPending(key) || isPending(contentHash)
    ? Promise.all([key, contentHash]).then((digests) => refer(...digests))
    : refer(key, contentHash)
}
