import type { VerifiedDelivery } from './delivery.js'
import { type AnyHandler, findHandler } from './dispatch/handlers.js'
import { PayloadError, Rejection } from './errors.js'
import { tryReadEvent } from './event/parse.js'
import type { Pipeline } from './options/settings.js'
import type { ReceiveRequest } from './request.js'
import { acknowledge, type ReceiveResult, reject } from './result.js'
import { accept } from './steps/accept.js'
import { admit, readBody } from './steps/admit.js'
import { checkEvent } from './steps/check-event.js'
import { processEvent } from './steps/process.js'
import { quarantine } from './steps/quarantine.js'
import { verify } from './steps/verify.js'
import { Deadline } from './timing/deadline.js'

/**
 * One delivery, from the request to the answer: admit, read, verify, parse, then process once or accept for later. No
 * store is called and no JSON is parsed before the signature holds.
 *
 * `route` replaces the handlers when a middleware lets a route do the work.
 */
export async function receive(
  pipeline: Pipeline,
  request: ReceiveRequest,
  route?: AnyHandler,
): Promise<ReceiveResult> {
  const admitted = admit(request, pipeline.maxBodyBytes)
  if (admitted instanceof Rejection) {
    return answerRejection(admitted)
  }

  const body = await readBody(pipeline, request)
  if (body instanceof Rejection) {
    return answerRejection(body)
  }

  const deadline = new Deadline(
    Math.min(pipeline.handlerTimeoutSeconds, request.budgetSeconds ?? Number.POSITIVE_INFINITY),
  )
  const verified = await verify(pipeline, request, admitted, body, deadline)
  if (verified instanceof Rejection) {
    return answerRejection(verified)
  }

  const delivery = { source: 'delivery', body, secretIndex: verified.secretIndex } as const
  const read = tryReadEvent(body, pipeline.inexactNumbers)
  if (read instanceof PayloadError) {
    return quarantine(pipeline, read.code, { ...delivery, detail: read.detail }, deadline)
  }
  const event = { ...delivery, ...read }

  const rejection = checkEvent(pipeline, admitted.eventId, read.event)
  if (rejection) {
    return answerRejection(rejection, event)
  }

  const handler = route ?? findHandler(pipeline.handlers, pipeline.fallback, read.event.type)
  if (!handler) {
    return acknowledge('ignored', event)
  }

  return pipeline.durable
    ? accept(pipeline, pipeline.durable, event, deadline)
    : processEvent(pipeline, handler, event, deadline)
}

const answerRejection = ({ code, detail, cause }: Rejection, delivery?: VerifiedDelivery): ReceiveResult =>
  reject(code, { ...delivery, detail, cause })
