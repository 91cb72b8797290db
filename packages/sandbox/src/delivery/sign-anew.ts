import { signPayload } from 'webhook-inbox'
import type { Options } from '../options/options.js'

interface Signed {
  readonly body: Uint8Array
  readonly secret: string
  readonly eventId: string
  /** Seconds from the system time to `t`; negative for the past. */
  readonly skewSeconds: number
}

/** A new Service-Signature. `t` is by the system clock, even with a virtual clock, because receivers compare it with theirs. */
export const signAnew = (
  { scheme }: Pick<Options, 'scheme'>,
  { body, secret, eventId, skewSeconds }: Signed,
): Promise<string> =>
  signPayload({
    body,
    secret,
    timestamp: Math.floor(Date.now() / 1000) + skewSeconds,
    id: eventId,
    ...(scheme && { scheme }),
  })
