import { type AnyHandler, findHandler } from './dispatch/handlers.js'
import { PayloadError, Rejection } from './errors.js'
import { tryReadEvent } from './event/parse.js'
import type { Pipeline } from './options/settings.js'
import type { ReceiveRequest } from './request.js'
import { acknowledge, type ReceiveResult, reject } from './result.js'
import { accept } from './steps/accept.js'
import { admit } from './steps/admit.js'
import { checkEnvironment } from './steps/check-environment.js'
import { checkEventId } from './steps/check-event-id.js'
import { processEvent } from './steps/process.js'
import { quarantine } from './steps/quarantine.js'
import { readBody } from './steps/read.js'
import { verify } from './steps/verify.js'
import { Deadline } from './timing/deadline.js'
import type { VerifiedDelivery, VerifiedEvent } from './verified-delivery.js'

/**
 * One delivery, from the request to the response: admit, read, verify, parse, then process once or accept for later. No
 * store is called and no JSON is parsed before the signature is verified.
 *
 * In the middleware form, `route` replaces the handlers.
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

  const read = readBody(pipeline, request)
  const body = read instanceof Promise ? await read : read
  if (body instanceof Rejection) {
    return answerRejection(body)
  }

  const deadline = new Deadline(
    Math.min(pipeline.handlerTimeoutSeconds, request.budgetSeconds ?? Number.POSITIVE_INFINITY),
  )
  const verified = await verify(pipeline, request, admitted, body, deadline)
  if (verified instanceof Rejection) {
    // The signature holds: only its time does not.
    const isOutOfTolerance = verified.code === 'timestamp_out_of_tolerance'
    return answerRejection(verified, isOutOfTolerance ? { signedAt: admitted.signature.timestamp } : {})
  }

  const { secretIndex, timestamp: signedAt } = verified
  const parsed = tryReadEvent(body, pipeline.inexactNumbers)
  if (parsed instanceof PayloadError) {
    const delivery = { source: 'delivery', body, secretIndex, signedAt, detail: parsed.detail } as const
    return quarantine(pipeline, parsed.code, delivery, deadline)
  }
  const { event, warnings, content } = parsed
  const trace = pipeline.telemetry.senderTrace(request)
  const source = 'delivery'
  const delivery: VerifiedEvent = { source, body, secretIndex, signedAt, event, warnings, content, trace }

  const rejection = checkEventId(pipeline, admitted.eventId, event) ?? checkEnvironment(pipeline, event)
  if (rejection) {
    return answerRejection(rejection, delivery)
  }

  const handler = route ?? findHandler(pipeline.handlers, pipeline.fallback, event.type)
  if (!handler) {
    return acknowledge('ignored', delivery)
  }

  return pipeline.durable
    ? accept(pipeline, pipeline.durable, delivery, deadline)
    : processEvent(pipeline, handler, delivery, deadline)
}

const answerRejection = (
  { code, detail, cause }: Rejection,
  delivery?: Partial<VerifiedDelivery>,
): ReceiveResult => reject(code, { ...delivery, detail, cause })
