import { Rejection } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../options/settings.js'
import type { HeaderValue } from '../request.js'

/** Checks that the unsigned id header equals the signed id, and that the environment of the event is accepted. */
export function checkEvent(
  { environments, requireEventIdHeader }: Pick<Settings, 'environments' | 'requireEventIdHeader'>,
  id: HeaderValue,
  event: WebhookEvent,
): Rejection | undefined {
  if (id === undefined || id === null) {
    if (requireEventIdHeader) {
      return new Rejection('event_id_missing')
    }
  } else if (!isSameId(id, event.id)) {
    return new Rejection('event_id_mismatch')
  }

  if (environments && event.environment !== undefined && !environments.includes(event.environment)) {
    return new Rejection('environment_not_allowed', nameOf(event.environment))
  }
  return undefined
}

/** A header has one character for each byte. So this decodes an id that is not ASCII before it compares. */
function isSameId(fromHeader: string | readonly string[], id: string): boolean {
  if (fromHeader === id) {
    return true
  }
  return fromHeader === Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('')
}

/** A name such as `sandbox` is logged. Any other text is content of the body and is not logged. */
const nameOf = (environment: string) => (/^[\w-]{1,32}$/.test(environment) ? environment : undefined)
