import { type Answering, requireReceiver } from '../src/adapter-port.js'
import { type LambdaEvent, toRequest } from './lambda/lambda-event.js'
import { type LambdaResponse, toResponse } from './lambda/to-lambda-response.js'

export type { LambdaEvent, LambdaResponse }

/** The part of the context of a function that is used here. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number
}

/** Time reserved to write the response before the platform ends the function. */
const reserveSeconds = 0.5

/**
 * The receiver as an AWS Lambda function. It takes events of API Gateway (REST and HTTP), Application Load Balancers,
 * Function URLs and VPC Lattice, and answers in the shape that the caller expects.
 *
 * A delivery is answered 503 half a second before the function would time out, if that comes before
 * `handlerTimeoutSeconds`. Keep `handlerTimeoutSeconds` below the timeout of the gateway (29 s). After the response, the
 * platform freezes a handler that still runs.
 *
 * The function rejects with `ConfigurationError` `unsupported_event` if the event is not an HTTP request. Throws
 * `ConfigurationError` `invalid_option` if the argument is not a receiver.
 *
 * @example
 * export const handler = lambdaHandler(receiver)
 */
export function lambdaHandler(
  receiver: Answering,
): (event: LambdaEvent, context?: LambdaContext) => Promise<LambdaResponse> {
  requireReceiver(receiver, 'lambdaHandler')
  return async function receiveWebhook(event, context) {
    const request = { ...toRequest(event), budgetSeconds: budgetOf(context) }
    return toResponse(await receiver.receive(request), event, request.method)
  }
}

/** Undefined if the caller passes no context, as in a test. */
function budgetOf(context: LambdaContext | undefined): number | undefined {
  const left = context?.getRemainingTimeInMillis?.()
  return Number.isFinite(left) ? Math.max(0, (left as number) / 1000 - reserveSeconds) : undefined
}
