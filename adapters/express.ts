import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Answering,
  createGate,
  type GateOptions,
  type Lifespan,
  requireReceiver,
} from '../src/adapter-port.js'
import { guardRoute, type Webhook } from './node/guard-route.js'
import { withLifespan } from './node/lifespan.js'
import { toReceiveRequest } from './node/to-receive-request.js'
import { answer } from './node/write-answer.js'
import { nodeHandler } from './node.js'

export type { Webhook } from './node/guard-route.js'

declare global {
  namespace Express {
    interface Request {
      /** The verified event, in a route behind `expressMiddleware`. `undefined` in every other route. */
      webhook: this extends { res?: { locals: WebhookLocals } | undefined } ? Webhook : undefined
    }
  }
}

/**
 * Tells TypeScript that a route runs after `expressMiddleware`. TypeScript infers it in one call, as in
 * `app.post(path, expressMiddleware(options), route)`. A route that is declared elsewhere needs the type:
 * `const route: RequestHandler<ParamsDictionary, unknown, unknown, ParsedQs, WebhookLocals> = (req, res) => { ... }`.
 */
export interface WebhookLocals {
  webhook: Webhook
}

/** A middleware of Express 4 and 5. The next route gets the event in `req.webhook`. */
export type ExpressMiddleware = (
  request: IncomingMessage,
  response: ServerResponse & { locals: WebhookLocals },
  next: (error?: unknown) => void,
) => Promise<void>

/** An error handler of Express 4 and 5. */
export type ExpressErrorHandler = (
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** A handler of Express 4 and 5. */
export type ExpressHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>

/**
 * The receiver as a handler of Express 5 or 4. Mount it before `express.json()`. With `app.all` instead of `app.post`
 * it also answers 405 to other methods. Programming errors go to `next`. Throws `ConfigurationError` `invalid_option`
 * if the argument is not a receiver.
 *
 * @example
 * app.all('/webhooks', expressHandler(receiver))
 */
export function expressHandler(receiver: Answering): ExpressHandler {
  return nodeHandler(requireReceiver(receiver, 'expressHandler'))
}

/**
 * Verifies and claims an event, then runs the next route with the event in `req.webhook`. If the route answers 2xx, the
 * event is marked as done before the response is sent. Any other response releases the event for redelivery.
 *
 * Mount `onError` after the route: `app.use(webhook.onError)`. Express tells a middleware nothing of what a
 * later route throws, so without it the cause in the log is only `the route answered 500`. It passes the error on.
 *
 * Call `start()` to check the store and log the guarantee before the first delivery, and `stop()` when the server has closed.
 * Throws `ConfigurationError` as `createReceiver` does.
 *
 * @example
 * app.post('/webhooks', expressMiddleware({ secret, store }), (req, res) => { res.sendStatus(204) })
 */
export function expressMiddleware(
  options: GateOptions,
): ExpressMiddleware & Lifespan & { readonly onError: ExpressErrorHandler } {
  const gate = createGate(options)
  const running = new WeakMap<ServerResponse, { noteError(error: unknown): void }>()
  const receiveWebhook: ExpressMiddleware = async (request, response, next) => {
    try {
      const result = await guardRoute(gate, toReceiveRequest(request), response, (webhook, held) => {
        running.set(response, held)
        // `_body` tells later body parsers that the body was read. Without it Express 4 answers 500.
        Object.assign(request, { webhook, _body: true })
        response.locals = Object.assign(response.locals ?? {}, { webhook })
        next()
      })
      if (result) {
        await answer(request, response, result)
      }
    } catch (error) {
      next(error)
    }
  }
  const onError: ExpressErrorHandler = (error, _request, response, next) => {
    running.get(response)?.noteError(error)
    next(error)
  }
  return Object.assign(withLifespan(receiveWebhook, gate), { onError })
}
