import { sha256 } from '#crypto'
import type { EventRef } from '../dedupe/event-ref.js'
import { dedupeKey } from '../dedupe/key.js'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../settings.js'

/** The event as a store sees it. */
export async function identify(settings: Settings, event: WebhookEvent): Promise<EventRef> {
  const { endpoint, leaseSeconds, retentionSeconds, handlerTimeoutSeconds } = settings
  return {
    key: await dedupeKey(endpoint, event.id),
    contentHash: await sha256(event.raw),
    terms: {
      leaseSeconds,
      retentionSeconds,
      workSeconds: handlerTimeoutSeconds,
      waitSeconds: Math.min(longestWaitSeconds, handlerTimeoutSeconds / 2),
    },
    endpoint,
    id: event.id,
    type: event.type,
    createdAt: event.createdAt,
    body: event.raw,
  }
}

/** A twin is answered `in_progress` rather than kept waiting longer than this. */
const longestWaitSeconds = 2
