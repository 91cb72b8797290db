import { Rejection } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../options/settings.js'
import { header, type ReceiveRequest } from '../request.js'

/** The unsigned id header must name the signed event, and the event must come from an environment we serve. */
export function checkOrigin(
  settings: Settings,
  request: ReceiveRequest,
  event: WebhookEvent,
): Rejection | undefined {
  const id = header(request, 'service-event-id')
  if (id === undefined || id === null) {
    if (settings.requireEventIdHeader) return new Rejection('event_id_missing')
  } else if (!isSameId(id, event.id)) return new Rejection('event_id_mismatch')

  const { environments } = settings
  if (environments && event.environment !== undefined && !environments.includes(event.environment)) {
    return new Rejection('environment_not_allowed', event.environment)
  }
  return undefined
}

/** Headers reach us as one character a byte, so an id beyond ASCII looks different there. */
function isSameId(fromHeader: string | readonly string[], id: string): boolean {
  if (fromHeader === id) return true
  return fromHeader === Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('')
}
