import type { HmacKey } from '#crypto'
import { Rejection } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import type { ReceiveRequest } from '../request.js'
import { checkSignature, type Verified } from '../signature/verify-signature.js'
import type { Deadline } from '../timing/deadline.js'
import type { Admitted } from './admit.js'

/** Verifies the signature. Resolves to when it was signed and which secret matched, or to a `Rejection`. */
export async function verify(
  { keysFor, toleranceSeconds, now, scheme }: Pipeline,
  request: ReceiveRequest,
  { signature, eventId }: Admitted,
  body: Uint8Array,
  deadline: Deadline,
): Promise<Verified | Rejection> {
  let keys = keysFor(request)
  if (keys instanceof Promise) {
    const loaded = await loadKeys(keys, deadline)
    if (loaded instanceof Rejection) {
      return loaded
    }
    keys = loaded
  }
  const id = typeof eventId === 'string' ? eventId : undefined
  return checkSignature({ body, signature, keys, toleranceSeconds, now, scheme, id })
}

function loadKeys(
  keys: Promise<readonly HmacKey[]>,
  deadline: Deadline,
): Promise<readonly HmacKey[] | Rejection> {
  return deadline.race<readonly HmacKey[] | Rejection>(
    keys,
    () => new Rejection('secret_unavailable', `the resolver took longer than ${deadline.seconds} s`),
    (cause) => new Rejection('secret_unavailable', undefined, cause),
  )
}
