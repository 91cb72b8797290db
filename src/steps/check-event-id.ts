import { Rejection } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../options/settings.js'
import type { HeaderValue } from '../request.js'

/** Checks that the unsigned id header equals the signed id. */
export function checkEventId(
  { requireEventIdHeader }: Pick<Settings, 'requireEventIdHeader'>,
  id: HeaderValue,
  event: WebhookEvent,
): Rejection | undefined {
  if (id === undefined || id === null) {
    return requireEventIdHeader ? new Rejection('event_id_missing') : undefined
  }
  return isSameId(id, event.id) ? undefined : new Rejection('event_id_mismatch')
}

/** A header has one character for each byte. So this decodes an id that is not ASCII before it compares. */
function isSameId(fromHeader: string | readonly string[], id: string): boolean {
  if (fromHeader === id) {
    return true
  }
  return fromHeader === Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('')
}
