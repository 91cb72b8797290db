import { invalidOption } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import { givenOptions, readable } from '../given-options.js'
import type { SignatureScheme } from '../signature/scheme.js'
import type { Secrets } from '../signature/secrets.js'
import { signPayload } from '../signature/sign.js'
import { systemClock, toBytes } from '../signature/verify-signature.js'

/** The default secret of the test kit. */
export const testSecret = 'whsec_test_secret'

/** How a delivery is signed. */
export interface SignOptions {
  /** One secret, or several as during a rotation. Default {@link testSecret}. */
  readonly secret?: Secrets | undefined
  /** Which bytes are signed, and how. Default: `t` + `.` + body, in hex. */
  readonly scheme?: SignatureScheme | undefined
  /** The sender’s clock: a time in unix seconds, or a function that returns it. Default: the system clock. */
  readonly now?: number | (() => number) | undefined
  /** How long before `now` the delivery was signed, in seconds: 301 is stale, -301 is from the future. Default 0. */
  readonly ageSeconds?: number | undefined
}

/** The names of {@link SignOptions}. */
export const signOptions = ['secret', 'scheme', 'now', 'ageSeconds']

/** The exact bytes of a body and the headers that sign them. */
export interface SignedBody {
  /** The exact bytes to send. */
  readonly body: Buffer<ArrayBuffer>
  /** `content-type`, `service-signature` and `service-event-id`. */
  readonly headers: Readonly<Record<string, string>>
}

/** One HTTP attempt to deliver an event, ready to be sent. */
export interface Delivery<Type extends string = string, Data = unknown> extends SignedBody {
  /** The event as a handler sees it. A tampered delivery keeps its original event. */
  readonly event: WebhookEvent<Type, Data>
}

/**
 * Signs any bytes, valid or not. Use it for bodies that {@link fixture} cannot make. A string is sent as UTF-8.
 * `id` becomes the Service-Event-Id header. Rejects with `ConfigurationError` (`invalid_secret`, `invalid_option`).
 *
 * @example
 * const delivery = await deliveryOf('{"id":', { secret })
 */
export async function deliveryOf(
  body: Uint8Array | string,
  options: SignOptions & { readonly id?: string | undefined } = {},
): Promise<SignedBody> {
  givenOptions('deliveryOf', options, [...signOptions, 'id'])
  return sign(body, options)
}

/** Like {@link deliveryOf}, with options that are checked. */
export async function sign(
  body: Uint8Array | string,
  options: SignOptions & { readonly id?: string | undefined },
): Promise<SignedBody> {
  const { id } = options
  const bytes = Buffer.from(toBytes(body))
  return {
    body: bytes,
    headers: {
      'content-type': 'application/json',
      'service-signature': await signature(bytes, id, options),
      ...(id !== undefined && { 'service-event-id': id }),
    },
  }
}

/** Throws `ConfigurationError` `invalid_option` for anything but a delivery. */
export function checkDelivery(delivery: SignedBody): void {
  const isDelivery = readable(
    'a delivery',
    () => delivery?.body instanceof Uint8Array && typeof delivery.headers === 'object' && delivery.headers,
  )
  if (!isDelivery) {
    throw invalidOption(
      'a delivery must have body, bytes, and headers; make one with fixture() or deliveryOf()',
    )
  }
}

/** Signs a delivery again as a retry does: same id, same bytes, new `t`. */
export async function signAgain<D extends SignedBody>(delivery: D, options: SignOptions): Promise<D> {
  const { body, headers } = delivery
  const header = await signature(body, headers['service-event-id'], options)
  return { ...delivery, headers: { ...headers, 'service-signature': header } }
}

function signature(body: Uint8Array, id: string | undefined, options: SignOptions): Promise<string> {
  const { secret = testSecret, scheme, ageSeconds = 0 } = options
  if (typeof ageSeconds !== 'number') {
    throw invalidOption('ageSeconds must be a number')
  }
  return signPayload({
    body,
    secret,
    timestamp: Math.floor(timeOf(options.now)) - ageSeconds,
    ...(scheme && { scheme }),
    ...(id !== undefined && { id }),
  })
}

/** Returns unix seconds, with fractions if the clock has them. */
export function timeOf(now: SignOptions['now'] = systemClock): number {
  const time: unknown = typeof now === 'function' ? now() : now
  if (!Number.isFinite(time)) {
    throw invalidOption('now must be unix seconds, or a function that returns them')
  }
  return time as number
}
