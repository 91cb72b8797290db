import type { Code } from '../codes.js'
import { HandlerFailure, PayloadError, type Rejection } from '../errors.js'
import { type ReadEvent, tryReadEvent } from '../event/parse.js'
import { checkData } from '../event/standard-schema.js'
import { jobOf } from '../flow/job-of.js'
import type { Settings } from '../options/settings.js'
import { tellQueue } from '../queue/tell-queue.js'
import { checkEvent } from '../steps/check-event.js'
import { identify } from '../steps/identify.js'
import { tooLarge } from '../steps/read.js'
import { resourceOf } from '../steps/resource-of.js'
import type { Origin } from '../store/bulk-store.js'
import type { Audit } from '../store/inbox.js'
import { capability } from './inbox-of.js'

/**
 * Checks a body by the rules for a delivery, except those about headers. Resolves to the reason if a delivery with this body
 * would be rejected. Rejects with `HandlerFailure` if the schema is at fault.
 */
export async function readAgain(
  settings: Settings,
  body: Uint8Array,
): Promise<ReadEvent | PayloadError | Rejection> {
  const { maxBodyBytes, inexactNumbers, schemas } = settings
  if (body.length > maxBodyBytes) {
    return tooLarge(maxBodyBytes)
  }
  const read = tryReadEvent(body, inexactNumbers)
  if (read instanceof PayloadError) {
    return read
  }
  const { event } = read
  const rejection = checkEvent({ ...settings, requireEventIdHeader: false }, undefined, event)
  if (rejection) {
    return rejection
  }
  try {
    await checkData(event.type, event.data, schemas, [...read.warnings])
  } catch (error) {
    if (error instanceof PayloadError) {
      return error
    }
    throw new HandlerFailure(error, `in the schema of ${event.type}`)
  }
  return read
}

/** Why a body would be rejected. */
export interface Reason {
  readonly code: Code
  readonly detail?: string
}

export const reasonOf = ({
  code,
  detail,
}: {
  readonly code: Code
  readonly detail?: string | undefined
}): Reason => ({
  code,
  ...(detail !== undefined && { detail }),
})

/** Accepts an event without a delivery, with its job. Rejects with `HandlerFailure` if `resource` throws. */
export async function acceptAgain(
  settings: Settings,
  read: ReadEvent,
  from: Origin,
  { reason, actor }: Audit,
): Promise<'accepted' | 'duplicate' | 'gone'> {
  const { queue } = settings
  const resource = resourceOf(settings, read.event)
  const ref = { ...(await identify(settings, read)), resource }
  const job = jobOf(settings, ref)
  const enqueue = async (tx: unknown) => queue?.enqueue?.(job, tx)
  const outcome = await capability(settings, 'bulk').acceptFrom(ref, from, { reason, actor }, enqueue)
  if (outcome === 'accepted') {
    tellQueue(settings.logger, () => queue?.committed?.(job))
  }
  return outcome
}
