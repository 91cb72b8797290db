import type { HmacKey } from '#crypto'
import { Rejection } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import { header, type ReceiveRequest } from '../request.js'
import { checkSignature, type Verified } from '../signature/verify.js'
import { type Awaitable, isPending } from '../timing/awaitable.js'
import type { Deadline } from '../timing/deadline.js'

/** Which secret signed the bytes, or why they are not the sender’s, or not fresh. */
export function verify(
  pipeline: Pipeline,
  request: ReceiveRequest,
  body: Uint8Array,
  deadline: Deadline,
): Awaitable<Verified | Rejection> {
  function check(keys: readonly HmacKey[] | Rejection): Awaitable<Verified | Rejection> {
    if (keys instanceof Rejection) return keys
    const { toleranceSeconds, now, scheme } = pipeline
    const id = header(request, 'service-event-id')
    return checkSignature({
      body,
      header: header(request, 'service-signature'),
      keys,
      toleranceSeconds,
      now,
      scheme,
      id: typeof id === 'string' ? id : undefined,
    })
  }

  const keys = pipeline.keysFor(request)
  if (!isPending(keys)) return check(keys)
  const late = () => unavailable('the resolver is over handlerTimeoutSeconds')
  const failed = (cause: unknown) => unavailable(undefined, cause)
  return deadline.race<readonly HmacKey[] | Rejection>(keys, late, failed).then(check)
}

const unavailable = (detail?: string, cause?: unknown) => new Rejection('secret_unavailable', detail, cause)
