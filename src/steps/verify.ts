import type { HmacKey } from '#crypto'
import type { Deadline } from '../dispatch/deadline.js'
import { Refusal } from '../errors.js'
import { header, type ReceiveRequest } from '../request.js'
import type { Pipeline } from '../settings.js'
import { checkSignature, type Verified } from '../signature/verify.js'

/** Which secret signed the bytes, or why they are not the sender’s, or not fresh. */
export async function verify(
  pipeline: Pipeline,
  request: ReceiveRequest,
  body: Uint8Array,
  deadline: Deadline,
): Promise<Verified | Refusal> {
  const keys = await loadKeys(pipeline, request, deadline)
  if (keys instanceof Refusal) return keys
  const id = header(request, 'service-event-id')
  return checkSignature({
    body,
    header: header(request, 'service-signature'),
    keys,
    toleranceSeconds: pipeline.toleranceSeconds,
    now: pipeline.now,
    scheme: pipeline.scheme,
    id: typeof id === 'string' ? id : undefined,
  })
}

async function loadKeys(
  pipeline: Pipeline,
  request: ReceiveRequest,
  deadline: Deadline,
): Promise<readonly HmacKey[] | Refusal> {
  try {
    const keys = pipeline.keysFor(request)
    if (!(keys instanceof Promise)) return keys
    const late = () => new Refusal('secret_unavailable', 'the resolver is over handlerTimeoutSeconds')
    return await deadline.race<readonly HmacKey[] | Refusal>(keys, late)
  } catch (cause) {
    return new Refusal('secret_unavailable', undefined, cause)
  }
}
