import type { HandlerContext } from '../dispatch/handlers.js'
import { invalidOption } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'

/** An event as {@link handOver} passes it on. */
export interface ForwardedEvent {
  readonly id: string
  readonly type: string
  readonly createdAt: string
  /** The exact bytes that the sender signed. */
  readonly body: Uint8Array
  /** Aborts when the handler exceeds its time. */
  readonly signal: AbortSignal
}

/**
 * Makes a handler that passes the exact bytes of an event to your function. The function sends them to a queue such as SQS,
 * Kafka or NATS, or writes them to object storage. If it rejects, the event is retried. So it may get an event twice: use
 * `id` as the key of deduplication, or in the name of the object. The sender chooses `id`, so encode it first. Throws
 * `ConfigurationError` `invalid_option`.
 *
 * @example
 * const archive = handOver(async ({ id }) => { await credit(id) })
 */
export function handOver(
  send: (event: ForwardedEvent) => unknown,
): (event: WebhookEvent, context: HandlerContext) => Promise<void> {
  if (typeof send !== 'function') {
    throw invalidOption('handOver takes a function')
  }
  return async function handOverEvent({ id, type, createdAt, raw }, { signal }) {
    await send({ id, type, createdAt, body: raw, signal })
  }
}
