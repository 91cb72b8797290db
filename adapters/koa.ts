import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Answer,
  type Answering,
  createGate,
  type GateOptions,
  type Lifespan,
  type ReceiveRequest,
  requireReceiver,
} from '../src/adapter-port.js'
import { guardRoute } from './node/guard-route.js'
import { withLifespan } from './node/lifespan.js'
import { toReceiveRequest } from './node/to-receive-request.js'
import { answer, isUploading } from './node/write-answer.js'

export type { Webhook } from './node/guard-route.js'

/** The part of a Koa context that is used here; `state.webhook` is a {@link Webhook} behind `koaMiddleware`. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly request: object
  readonly originalUrl: string
  readonly writable: boolean
  // biome-ignore lint/suspicious/noExplicitAny: Koa uses this type, and a context does not fit a narrower one.
  state: any
  status: number
  body: unknown
  respond?: boolean | undefined
  set(headers: Record<string, string>): void
}

export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<void>

/**
 * The receiver as Koa middleware. It does not call `next`. Mount it before a body parser. With `router.all` instead of
 * `router.post` it also answers 405 to other methods. Rejects for programming errors. Throws `ConfigurationError`
 * `invalid_option` if the argument is not a receiver.
 *
 * @example
 * router.all('/webhooks', koaHandler(receiver))
 */
export function koaHandler(receiver: Answering): KoaMiddleware {
  requireReceiver(receiver, 'koaHandler')
  return async function receiveWebhook(context) {
    await respond(context, await receiver.receive(deliveryOf(context)))
  }
}

/**
 * Verifies and claims an event, then runs the next middleware with the event in `ctx.state.webhook`. If the response is
 * 2xx, the event is marked as done before the response is sent. Any other response releases the event for redelivery.
 *
 * Call `start()` to check the store and log the guarantee before the first delivery, and `stop()` when the server has closed.
 * Throws `ConfigurationError` as `createReceiver` does.
 *
 * @example
 * router.post('/webhooks', koaMiddleware({ secret, store }), async (ctx) => { ctx.status = 204 })
 */
export function koaMiddleware(options: GateOptions): KoaMiddleware & Lifespan {
  const gate = createGate(options)
  const receiveWebhook: KoaMiddleware = (context, next) =>
    new Promise((resolve, reject) => {
      guardRoute(gate, deliveryOf(context), context.res, (webhook, held) => {
        context.state.webhook = webhook
        next().then(
          () => {
            if (context.respond !== false) {
              held.settleOnceClosed(context.status)
            }
            resolve()
          },
          (error) => {
            held.noteError(error)
            held.settleOnceClosed(500)
            reject(error)
          },
        )
      })
        .then((result) => result && respond(context, result).then(resolve))
        .catch(reject)
    })
  return withLifespan(receiveWebhook, gate)
}

function deliveryOf(context: KoaContext): ReceiveRequest {
  return toReceiveRequest(context.req, context, [context.req, context.request])
}

async function respond(context: KoaContext, result: Answer): Promise<void> {
  if (!context.req.complete && (await isUploading(context.req))) {
    // Koa would end the response immediately, and so reset the connection during an upload.
    context.respond = false
    return answer(context.req, context.res, result)
  }
  context.status = result.status
  context.set(result.headers)
  context.body = result.body
}
