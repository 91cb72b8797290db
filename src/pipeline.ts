import { type AnyHandler, findHandler } from './dispatch/handlers.js'
import { PayloadError, Rejection } from './errors.js'
import { type ReadEvent, readEvent } from './event/parse.js'
import type { Pipeline } from './options/settings.js'
import type { ReceiveRequest } from './request.js'
import { acknowledge, type ReceiveResult, reject } from './result.js'
import { accept } from './steps/accept.js'
import { admit, readBody } from './steps/admit.js'
import type { Authentic } from './steps/authentic.js'
import { checkOrigin } from './steps/check-event.js'
import { processEvent } from './steps/process.js'
import { quarantine } from './steps/quarantine.js'
import { verify } from './steps/verify.js'
import { Deadline } from './timing/deadline.js'

/**
 * The whole story of one delivery: admit, read, verify, parse, then act once or accept for later. No store is touched
 * and no JSON is parsed before the signature holds.
 *
 * `route` takes the place of the handlers where a middleware lets a route do the work.
 */
export async function receive(
  pipeline: Pipeline,
  request: ReceiveRequest,
  route?: AnyHandler,
): Promise<ReceiveResult> {
  const notAdmitted = admit(request, pipeline.maxBodyBytes)
  if (notAdmitted) return answerRejection(notAdmitted)

  const body = await readBody(pipeline, request)
  if (body instanceof Rejection) return answerRejection(body)

  const deadline = new Deadline(
    Math.min(pipeline.handlerTimeoutSeconds, request.budgetSeconds ?? Number.POSITIVE_INFINITY),
  )
  const verified = await verify(pipeline, request, body, deadline)
  if (verified instanceof Rejection) return answerRejection(verified)
  const { secretIndex } = verified

  const read = parse(pipeline, body)
  if (read instanceof PayloadError) {
    return quarantine(pipeline, read.code, { body, secretIndex, detail: read.detail }, deadline)
  }
  const delivery = { ...read, secretIndex }

  const rejection = checkOrigin(pipeline, request, read.event)
  if (rejection) return answerRejection(rejection, delivery)

  const handler = route ?? findHandler(pipeline.handlers, pipeline.fallback, read.event.type)
  if (!handler) return acknowledge('ignored', delivery)

  const { queue, store } = pipeline
  const answer =
    queue && store.inbox
      ? accept(pipeline, store.inbox, queue, delivery, deadline)
      : processEvent(pipeline, handler, delivery, deadline)
  // To return it without `await` takes two turns of the queue of microtasks more.
  return await answer
}

const answerRejection = (
  { code, detail, cause }: Rejection,
  delivery: Partial<Authentic> = {},
): ReceiveResult => reject(code, { ...delivery, detail, cause })

function parse(pipeline: Pipeline, body: Uint8Array): ReadEvent | PayloadError {
  try {
    return readEvent(body, pipeline.inexactNumbers)
  } catch (error) {
    if (error instanceof PayloadError) return error
    throw error
  }
}
