import { Context } from '../dispatch/context.js'
import type { AnyHandler } from '../dispatch/handlers.js'
import { HandlerFailure, PayloadError } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import { checkData } from '../event/schema.js'
import type { Pipeline } from '../options/settings.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { EventRef } from '../store/event-ref.js'
import type { OnceOutcome, WorkContext } from '../store/store.js'
import { type Awaitable, isPending } from '../timing/awaitable.js'
import type { Deadline } from '../timing/deadline.js'
import { answerInTime, toFailure } from './answer-in-time.js'
import type { Authentic } from './authentic.js'
import { identify } from './identify.js'
import { quarantine } from './quarantine.js'

/** Lets the store decide whether this delivery runs the event, and answers in time whatever it decides. */
export function processEvent(
  pipeline: Pipeline,
  handler: AnyHandler,
  read: Authentic,
  deadline: Deadline,
): Promise<ReceiveResult> {
  let isStoreAwaited = false
  let failure: HandlerFailure | undefined

  async function handle(event: WebhookEvent, work: WorkContext<unknown>): Promise<void> {
    // A claim that comes after the answer is given back, not used.
    if (deadline.aborted) throw new Error('the claim came too late')
    isStoreAwaited = false
    try {
      await handler(event as never, new Context(work, deadline, read.warnings) as never)
    } catch (error) {
      failure = new HandlerFailure(error)
      if (deadline.aborted) logLate(pipeline, event.id, error)
      throw failure
    } finally {
      isStoreAwaited = true
    }
  }

  async function runOnce(): Promise<ReceiveResult> {
    const ref = await identify(pipeline, read)
    const event = await fitData(pipeline, read)
    isStoreAwaited = true
    const unready = pipeline.ready()
    if (unready) await unready
    const outcome = await pipeline.store.once(ref, (work) => handle(event, work))
    return toResult(pipeline, outcome, ref, read, deadline)
  }

  return answerInTime(pipeline, deadline, read, runOnce, () => {
    // What the handler threw says more than that the store is slow to take the claim back.
    if (failure) return toFailure(failure, read)
    return reject(isStoreAwaited ? 'store_unavailable' : 'handler_timeout', read)
  })
}

/**
 * The event with its data as the schema of its type leaves it. Throws or rejects with `PayloadError` `invalid_data`, and
 * with `HandlerFailure` where the schema itself throws: it is the user’s code, and the event may be right.
 */
function fitData({ schemas }: Pipeline, { event, warnings }: Authentic): Awaitable<WebhookEvent> {
  const fitted = (data: unknown) => (data === event.data ? event : { ...event, data })
  const refused = (error: unknown): never => {
    throw error instanceof PayloadError ? error : new HandlerFailure(error, `in the schema of ${event.type}`)
  }
  try {
    const data = checkData(event.type, event.data, schemas, warnings)
    return isPending(data) ? Promise.resolve(data).then(fitted, refused) : fitted(data)
  } catch (error) {
    return refused(error)
  }
}

function toResult(
  pipeline: Pipeline,
  outcome: OnceOutcome<void>,
  ref: EventRef,
  read: Authentic,
  deadline: Deadline,
): Awaitable<ReceiveResult> {
  switch (outcome.state) {
    case 'done':
      return acknowledge('processed', read)
    case 'duplicate':
      return outcome.contentHash === ref.contentHash
        ? acknowledge('duplicate', read)
        : quarantine(pipeline, 'event_id_conflict', read, deadline)
    case 'busy':
      return reject('in_progress', { ...read, retryAfterSeconds: outcome.retryAfterSeconds })
    case 'lost':
      return reject('in_progress', { ...read, retryAfterSeconds: 1 })
  }
}

/** The sender was told `handler_timeout` long ago; the operator should still hear what became of it. */
function logLate({ logger }: Pipeline, eventId: string, cause: unknown): void {
  if (logger) logger.error(`webhook-inbox: event ${eventId}: the handler failed after its budget`, cause)
}
