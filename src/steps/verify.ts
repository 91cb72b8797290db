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
  const late = () => new Refusal('secret_unavailable', 'the resolver is over handlerTimeoutSeconds')
  let keys: readonly HmacKey[] | Refusal
  try {
    const loaded = pipeline.keysFor(request)
    keys = loaded instanceof Promise ? await deadline.race<typeof keys>(loaded, late) : loaded
  } catch (cause) {
    return new Refusal('secret_unavailable', undefined, cause)
  }
  if (keys instanceof Refusal) return keys
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
