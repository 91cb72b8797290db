import type { HmacKey } from '#crypto'
import { Deadline } from '../dispatch/deadline.js'
import { Refusal } from '../errors.js'
import { header, type ReceiveRequest } from '../request.js'
import type { Pipeline } from '../settings.js'
import { checkSignature } from '../signature/verify.js'

/** Why the bytes are not the sender’s, or not fresh; `undefined` when they are both. */
export async function verify(
  pipeline: Pipeline,
  request: ReceiveRequest,
  body: Uint8Array,
): Promise<Refusal | undefined> {
  const keys = await loadKeys(pipeline, request)
  if (keys instanceof Refusal) return keys
  const id = header(request, 'service-event-id')
  const verified = await checkSignature({
    body,
    header: header(request, 'service-signature'),
    keys,
    toleranceSeconds: pipeline.toleranceSeconds,
    now: pipeline.now,
    scheme: pipeline.scheme,
    id: typeof id === 'string' ? id : undefined,
  })
  return verified instanceof Refusal ? verified : undefined
}

async function loadKeys(pipeline: Pipeline, request: ReceiveRequest): Promise<readonly HmacKey[] | Refusal> {
  try {
    const keys = pipeline.keysFor(request)
    if (!(keys instanceof Promise)) return keys
    const late = () => new Refusal('secret_unavailable', 'the resolver is over handlerTimeoutSeconds')
    return await new Deadline(pipeline.handlerTimeoutSeconds).race<readonly HmacKey[] | Refusal>(keys, late)
  } catch (cause) {
    return new Refusal('secret_unavailable', undefined, cause)
  }
}
