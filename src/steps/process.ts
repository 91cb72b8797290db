import { Context } from '../dispatch/context.js'
import type { AnyHandler } from '../dispatch/handlers.js'
import { HandlerFailure, NotCalled, PayloadError } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { EventRef } from '../store/event-ref.js'
import type { RunProgress } from '../telemetry/observer.js'
import type { Deadline } from '../timing/deadline.js'
import type { VerifiedEvent } from '../verified-delivery.js'
import { acceptDead } from './accept-dead.js'
import { answerInTime, toFailure } from './answer-in-time.js'
import { answerKnown } from './answer-known.js'
import { fitData } from './fit-data.js'
import { identify } from './identify.js'

/** An event to process. A queue has identified it already. */
type EventToProcess = VerifiedEvent & { readonly ref?: EventRef | undefined }

/** The progress of the work, for the response when the time is up and for telemetry. */
interface Progress extends RunProgress {
  /** What is running: an operation of the store, or user code. */
  phase: 'store' | 'handler'
  failure?: HandlerFailure
}

/**
 * Lets the store decide whether this delivery runs the event. Answers in time, and never rejects. A worker
 * passes `conclude` to replace the result before telemetry reports it.
 */
export function processEvent(
  pipeline: Pipeline,
  handler: AnyHandler,
  delivery: EventToProcess,
  deadline: Deadline,
  conclude?: (result: ReceiveResult) => Promise<ReceiveResult>,
): Promise<ReceiveResult> {
  const progress: Progress = { phase: 'store' }

  function late(): ReceiveResult {
    // The handler has failed, but the store has not released the claim in time.
    if (progress.failure) {
      return toFailure(progress.failure, delivery)
    }
    if (progress.phase === 'store') {
      return reject('store_unavailable', delivery)
    }
    const { seconds } = deadline
    // The platform of the request allows less than the options do.
    const isShort = seconds < pipeline.handlerTimeoutSeconds
    const detail = isShort ? `the platform left ${Number(seconds.toFixed(3))} s` : undefined
    return reject('handler_timeout', { ...delivery, detail })
  }

  // Before telemetry gets the event, which is user code.
  const ref = delivery.ref ?? identify(pipeline, delivery)
  return pipeline.telemetry.running(delivery, progress, () => {
    const work = run(pipeline, handler, delivery, ref, deadline, progress)
    const answered = answerInTime(pipeline, deadline, delivery, work, late)
    return conclude ? answered.then(conclude) : answered
  })
}

async function run(
  pipeline: Pipeline,
  handler: AnyHandler,
  delivery: VerifiedEvent,
  identified: EventRef | Promise<EventRef>,
  deadline: Deadline,
  progress: Progress,
): Promise<ReceiveResult> {
  const ref = await identified
  await pipeline.ready()

  progress.phase = 'handler'
  const event = await fitData(pipeline, delivery)
  progress.phase = 'store'
  if (event instanceof PayloadError) {
    const { code, detail } = event
    return acceptDead(pipeline, ref, code, { ...delivery, detail }, deadline)
  }

  const outcome = await pipeline.store.once(ref, async (work) => {
    // The delivery is already answered, so the claim is released and the handler does not run.
    if (deadline.aborted) {
      throw new NotCalled('the claim came too late')
    }
    progress.phase = 'handler'
    progress.attempt = work.attempt
    progress.handlerFrom = performance.now()
    try {
      await handler(event as never, new Context(work, deadline, delivery.warnings) as never)
    } catch (error) {
      progress.failure = new HandlerFailure(error, undefined, work.attempt, !deadline.isStopped)
      if (deadline.overdue) {
        logLate(pipeline, event.id, deadline, error)
      }
      throw progress.failure
    } finally {
      progress.phase = 'store'
      progress.handlerUntil = performance.now()
    }
  })

  switch (outcome.state) {
    case 'done':
      if (deadline.overdue) {
        pipeline.logger.warn(
          `event ${event.id} is done: it succeeded after the time limit of ${deadline.seconds} s, and that counts`,
        )
        pipeline.telemetry.succeededLate(event)
      }
      return acknowledge('processed', delivery)
    case 'lost':
      progress.isClaimLost = true
      return reject('in_progress', { ...delivery, retryAfterSeconds: 1 })
    default:
      return answerKnown(pipeline, outcome, ref, delivery, deadline)
  }
}

/** The sender got `handler_timeout` earlier. The operator also needs the reason. */
function logLate({ logger }: Pipeline, eventId: string, { seconds }: Deadline, cause: unknown): void {
  logger.error(`event ${eventId}: the handler failed after the time limit of ${seconds} s`, cause)
}
