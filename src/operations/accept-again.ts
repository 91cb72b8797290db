import type { Code } from '../codes.js'
import { HandlerFailure, PayloadError } from '../errors.js'
import { type ReadEvent, readEvent, tryReadEvent } from '../event/parse.js'
import { jobOf } from '../flow/job-of.js'
import type { Settings } from '../options/settings.js'
import { tellQueue } from '../queue/tell-queue.js'
import { checkEnvironment } from '../steps/check-environment.js'
import { fitData } from '../steps/fit-data.js'
import { identify } from '../steps/identify.js'
import { tooLarge } from '../steps/read.js'
import { resourceOf } from '../steps/resource-of.js'
import type { Origin } from '../store/bulk-store.js'
import type { Audit } from '../store/inbox.js'
import { capability } from './inbox-of.js'

/** Why a body would be rejected. */
export interface Reason {
  readonly code: Code
  readonly detail?: string
}

/**
 * Checks a body by the rules for a delivery, except those about headers. Resolves to the reason if a delivery with this body
 * would be rejected. Rejects with `HandlerFailure` if the schema is at fault.
 */
export async function readAgain(settings: Settings, body: Uint8Array): Promise<ReadEvent | Reason> {
  const { maxBodyBytes, inexactNumbers } = settings
  if (body.length > maxBodyBytes) {
    return asReason(tooLarge(maxBodyBytes))
  }
  const read = tryReadEvent(body, inexactNumbers)
  if (read instanceof PayloadError) {
    return asReason(read)
  }
  const { event } = read
  const rejection = checkEnvironment(settings, event)
  if (rejection) {
    return asReason(rejection)
  }
  const fitting = await fitData(settings, { event, warnings: [] })
  // Read anew, because a schema may have changed the data, and the content hash covers what the body says.
  return fitting instanceof PayloadError ? asReason(fitting) : readEvent(body, inexactNumbers)
}

/** The reason that a failure of user code is. Throws any other error. */
export function failureReason(error: unknown): Reason {
  if (error instanceof HandlerFailure) {
    return asReason({ code: 'handler_failed', detail: error.detail })
  }
  throw error
}

const asReason = ({
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
  const identified = await identify(settings, read)
  const resource = resourceOf(settings, read.event)
  const ref = { ...identified, resource }
  const job = jobOf(settings, ref)
  await queue?.prepare?.(settings.endpoint)
  const enqueue = async (tx: unknown) => queue?.enqueue?.(job, tx)
  const outcome = await capability(settings, 'bulk').acceptFrom(ref, from, { reason, actor }, enqueue)
  if (outcome === 'accepted') {
    tellQueue(settings.logger, () => queue?.committed?.(job))
  }
  return outcome
}
