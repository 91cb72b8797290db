import { sha256 } from '#crypto'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../options/settings.js'
import type { EventRef } from '../store/event-ref.js'
import { dedupeKey } from '../store/key.js'
import { type Awaitable, isPending } from '../timing/awaitable.js'

/** The event as a store sees it. */
export function identify({ endpoint, durations }: Settings, event: WebhookEvent): Awaitable<EventRef> {
  const { id, type, createdAt, raw: body } = event
  const refer = (key: string, contentHash: string): EventRef => {
    return { key, contentHash, durations, endpoint, id, type, createdAt, body }
  }
  const key = dedupeKey(endpoint, id)
  const contentHash = sha256(body)
  return isPending(key) || isPending(contentHash)
    ? Promise.all([key, contentHash]).then((digests) => refer(...digests))
    : refer(key, contentHash)
}
