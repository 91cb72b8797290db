import { codes } from '../codes.js'
import { HandlerFailure, PayloadError } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import { checkData } from '../event/standard-schema.js'
import type { Settings } from '../options/settings.js'
import type { VerifiedEvent } from '../verified-delivery.js'

/**
 * Returns a copy of the event with the output of its schema as data, or the `PayloadError` if the data does not fit. Rejects with
 * `HandlerFailure` if the schema throws or returns no result, because then the user's code is wrong and the event may
 * be valid.
 */
export async function fitData(
  { schemas }: Pick<Settings, 'schemas'>,
  { event, warnings }: Pick<VerifiedEvent, 'event' | 'warnings'>,
): Promise<WebhookEvent | PayloadError> {
  try {
    const data = await checkData(event.type, event.data, schemas, warnings)
    // A copy, because a handler may change it, and the result and telemetry still need the id and the type.
    return { ...event, data }
  } catch (error) {
    if (isPayloadError(error)) {
      return error
    }
    throw new HandlerFailure(error, `in the schema of ${event.type}`)
  }
}

/** A schema may throw a proxy, on which `instanceof` may throw, or a `PayloadError` of its own. */
function isPayloadError(error: unknown): error is PayloadError {
  try {
    return error instanceof PayloadError && Object.hasOwn(codes, error.code) && isText(error.detail)
  } catch {
    return false
  }
}

const isText = (detail: unknown) => detail === undefined || typeof detail === 'string'
