import type { Receiver } from '../src/receiver.js'
import { type LambdaResponse, toResponse } from './lambda/answer.js'
import { type LambdaEvent, toRequest } from './lambda/event.js'

export type { LambdaEvent, LambdaResponse }

/**
 * The receiver as an AWS Lambda function behind API Gateway (REST and HTTP), an Application Load Balancer (single and
 * multi value headers) or a Function URL; the event tells which, and the answer takes the same shape.
 *
 * Keep `handlerTimeoutSeconds` below the timeout of the function (3 s unless raised) and of the gateway (29 s), or they
 * answer in the receiver’s place. A handler that is over its budget is frozen with the function at the answer.
 *
 * Rejects with `ConfigurationError` `unsupported_event` where the event is not an HTTP request.
 */
export function lambdaHandler(receiver: Receiver): (event: LambdaEvent) => Promise<LambdaResponse> {
  return async function receiveWebhook(event) {
    const request = toRequest(event)
    return toResponse(await receiver.receive(request), event, request.method)
  }
}
