import type { ServerResponse } from 'node:http'
import type {
  Gate,
  HandlerContext,
  ReceiveRequest,
  ReceiveResult,
  WebhookEvent,
} from '../../src/adapter-port.js'
import { BufferedResponse } from './buffered-response.js'

/** What a route finds on its request: the verified event, and the context of a handler. */
export interface Webhook extends Omit<HandlerContext, 'tx'> {
  readonly event: WebhookEvent
  /** Aborts when the route is over its budget, has lost its claim, or the connection has dropped. */
  readonly signal: AbortSignal
}

/**
 * Runs a route for an event that is verified and claimed, and buffers its answer until the event is marked done. Resolves to
 * the result to answer with where the route did not run, and to `undefined` where the route has answered.
 */
export async function guardRoute(
  gate: Gate,
  request: ReceiveRequest,
  response: ServerResponse,
  run: (webhook: Webhook, held: BufferedResponse) => void,
): Promise<ReceiveResult | undefined> {
  const route: { held?: BufferedResponse } = {}
  const result = await gate.receive(request, (event: WebhookEvent, context: HandlerContext) => {
    route.held = new BufferedResponse(response)
    run(webhookOf(event, context, response), route.held)
    return route.held.settled
  })
  if (!route.held) {
    return result
  }
  route.held.conclude(result)
  return undefined
}

function webhookOf(event: WebhookEvent, context: HandlerContext, response: ServerResponse): Webhook {
  const dropped = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) {
      dropped.abort(new Error('the connection dropped'))
    }
  })
  const { attempt, warnings, warn } = context
  let signal: AbortSignal | undefined
  return {
    event,
    attempt,
    warnings,
    warn,
    get signal() {
      signal ??= AbortSignal.any([context.signal, dropped.signal])
      return signal
    },
  }
}
