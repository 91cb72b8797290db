import { PayloadError } from '../errors.js'
import { jobOf } from '../flow/job-of.js'
import type { DurableInbox, Pipeline } from '../options/settings.js'
import { tellQueue } from '../queue/tell-queue.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { Deadline } from '../timing/deadline.js'
import type { VerifiedEvent } from '../verified-delivery.js'
import { acceptDead } from './accept-dead.js'
import { answerInTime } from './answer-in-time.js'
import { answerKnown } from './answer-known.js'
import { fitData } from './fit-data.js'
import { identify } from './identify.js'
import { resourceOf } from './resource-of.js'

/**
 * Commits the event to the inbox together with its job. A worker runs it later and then checks its data against the
 * schema. If the data does not fit, the event is kept as dead. It can be replayed when the schema is corrected.
 */
export function accept(
  pipeline: Pipeline,
  durable: DurableInbox,
  delivery: VerifiedEvent,
  deadline: Deadline,
): Promise<ReceiveResult> {
  const work = commit(pipeline, durable, delivery, deadline)
  return answerInTime(pipeline, deadline, delivery, work, () => reject('store_unavailable', delivery))
}

async function commit(
  pipeline: Pipeline,
  { inbox, queue }: DurableInbox,
  delivery: VerifiedEvent,
  deadline: Deadline,
): Promise<ReceiveResult> {
  const identified = await identify(pipeline, delivery)
  const resource = await resourceOrUnfit(pipeline, delivery)
  await pipeline.ready()
  if (resource instanceof PayloadError) {
    const { code, detail } = resource
    return acceptDead(pipeline, identified, code, { ...delivery, detail }, deadline)
  }
  await queue.prepare?.(pipeline.endpoint)
  const ref = { ...identified, resource }
  const job = jobOf(pipeline, ref)
  const outcome = await pipeline.telemetry.storing(delivery, (traceContext) =>
    inbox.accept({ ...ref, traceContext }, queue.enqueue?.bind(queue, job)),
  )
  if (outcome.state !== 'accepted') {
    return answerKnown(pipeline, outcome, ref, delivery, deadline)
  }
  tellQueue(pipeline.logger, () => queue.committed?.(job))
  return acknowledge('accepted', delivery)
}

/**
 * The resource of an event. If `resource` fails on data that does not fit its schema, resolves to that error: no retry can
 * process the event then. Otherwise rejects with `HandlerFailure`, because the function is wrong and the event may be valid.
 */
async function resourceOrUnfit(
  pipeline: Pipeline,
  delivery: VerifiedEvent,
): Promise<string | undefined | PayloadError> {
  try {
    return resourceOf(pipeline, delivery.event)
  } catch (failure) {
    const fitted = await fitData(pipeline, delivery)
    if (fitted instanceof PayloadError) {
      return fitted
    }
    throw failure
  }
}
