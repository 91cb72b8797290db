import type { ServerResponse } from 'node:http'
import type {
  Gate,
  HandlerContext,
  ReceiveRequest,
  ReceiveResult,
  WebhookEvent,
} from '../../src/adapter-port.js'
import { BufferedResponse } from './buffered-response.js'

/** The verified event and the context of a handler, as a route gets them on its request. */
export interface Webhook extends Omit<HandlerContext, 'tx'> {
  readonly event: WebhookEvent
  /** Aborts when the time is up, the claim is lost, or the connection is closed. */
  readonly signal: AbortSignal
}

/**
 * Runs a route for a verified and claimed event. Buffers its response until the event is marked as done. Resolves to
 * `undefined` if the route has answered. If the route did not run, resolves to the result to answer with.
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
