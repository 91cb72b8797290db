import type { EventRef } from '../dedupe/event-ref.js'
import type { OnceOutcome } from '../dedupe/store.js'
import { Deadline } from '../dispatch/deadline.js'
import type { AnyHandler } from '../dispatch/handlers.js'
import { HandlerFailure, runHandler } from '../dispatch/run-handler.js'
import { PayloadError } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import type { ReadEvent } from '../event/parse.js'
import { checkData } from '../event/schema.js'
import { acknowledge, decline, type ReceiveResult } from '../result.js'
import type { Pipeline } from '../settings.js'
import { eventRef } from './event-ref.js'
import { setAside } from './set-aside.js'

/** Lets the store decide whether this delivery runs the event, and answers in time whatever it decides. */
export async function act(pipeline: Pipeline, handler: AnyHandler, read: ReadEvent): Promise<ReceiveResult> {
  const deadline = new Deadline(pipeline.handlerTimeoutSeconds)
  const { warnings } = read
  let isRunning = false

  async function runOnce(): Promise<ReceiveResult> {
    const event = await fitData(pipeline, read)
    await pipeline.ready()
    const ref = await eventRef(pipeline, event)
    const outcome = await pipeline.store.once(ref, async (work) => {
      // A claim that comes after the answer is given back, not used.
      if (deadline.aborted) throw new Error('the claim came too late')
      isRunning = true
      await runHandler(handler, event, work, deadline, warnings)
      isRunning = false
    })
    return toResult(pipeline, outcome, ref, read)
  }

  return deadline.race(
    runOnce().catch((error: unknown) => toFailure(pipeline, error, read)),
    () => decline(isRunning ? 'handler_timeout' : 'store_unavailable', read),
  )
}

/** The event with its data as the schema of its type leaves it. Rejects with `PayloadError` `invalid_data`. */
export async function fitData({ schemas }: Pipeline, { event, warnings }: ReadEvent): Promise<WebhookEvent> {
  const data = await checkData(event.type, event.data, schemas, warnings)
  return data === event.data ? event : { ...event, data }
}

async function toResult(
  pipeline: Pipeline,
  outcome: OnceOutcome<void>,
  ref: EventRef,
  read: ReadEvent,
): Promise<ReceiveResult> {
  switch (outcome.state) {
    case 'done':
      return acknowledge('processed', read)
    case 'duplicate':
      return outcome.contentHash === ref.contentHash
        ? acknowledge('duplicate', read)
        : setAside(pipeline, 'event_id_conflict', ref.body, read)
    case 'busy':
      return decline('in_progress', { ...read, retryAfterSeconds: outcome.retryAfterSeconds })
    case 'lost':
      return decline('in_progress', { ...read, retryAfterSeconds: 1 })
  }
}

/** What a failure on the way to the acknowledgement is answered with. */
export async function toFailure(pipeline: Pipeline, error: unknown, read: ReadEvent): Promise<ReceiveResult> {
  if (error instanceof HandlerFailure) return decline('handler_failed', { ...read, cause: error.cause })
  if (error instanceof PayloadError) return setAside(pipeline, error.code, read.event.raw, read, error.detail)
  return decline('store_unavailable', { ...read, cause: error })
}
