/**
 * All that an adapter needs from the receiver. An adapter converts the request of its framework to a `ReceiveRequest`,
 * and a `ReceiveResult` to a response of its framework. It makes no decisions.
 *
 * @module
 */
import { ConfigurationError } from './errors.js'
import { readable } from './given-options.js'
import type { Answering } from './lifespan/probes.js'

export type { HandlerContext } from './dispatch/handlers.js'
export { ConfigurationError } from './errors.js'
export type { WebhookEvent } from './event/event.js'
export type { Answer, Answering } from './lifespan/probes.js'
export { createGate, type Gate, type GateOptions, type Lifespan, type Receiver } from './receiver.js'
export { type LineLog, lineLog } from './report/logger.js'
export type { BodyProblem, HeaderValue, ReadBody, ReadTime, ReceiveRequest } from './request.js'
export type { ReceiveResult } from './result.js'
export { fromBase64 } from './signature/crypto/base64.js'

/**
 * Returns the receiver. Throws `ConfigurationError` `invalid_option` if the argument is not a receiver, so that a
 * mistake fails at mounting and not at the first delivery. `adapter` is the name of the function that was called.
 */
export function requireReceiver<Mounted extends Answering>(receiver: Mounted, adapter: string): Mounted {
  if (readable('the receiver', () => typeof receiver?.receive) === 'function') {
    return receiver
  }
  throw new ConfigurationError(
    'invalid_option',
    `${adapter} takes a receiver, and was given something else. Pass createReceiver({ ... }), not its options`,
  )
}
