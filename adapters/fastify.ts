import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ConfigurationError,
  createGate,
  type GateOptions,
  type ReceiveRequest,
  type ReceiveResult,
  type Receiver,
  requireReceiver,
} from '../src/adapter.js'
import { answer, isUploading } from './node/answer.js'
import { guardRoute, type Webhook } from './node/guard-route.js'
import { toReceiveRequest } from './node/to-receive-request.js'

export type { Webhook } from './node/guard-route.js'

/** The request of the route that is given to `fastifyPlugin`. */
export type WebhookRequest = FastifyRequest & {
  /** The verified event, and what a handler gets beside it. */
  readonly webhook: Webhook
}

/** A route that runs once for each event. It answers as any route of Fastify does. */
export type WebhookRoute = (this: FastifyInstance, request: WebhookRequest, reply: FastifyReply) => unknown

/** Where the receiver is mounted, and either a receiver or what the middleware form needs. */
export type FastifyPluginOptions = { readonly path: string } & (
  | { readonly receiver: Receiver }
  | (GateOptions & {
      /** The route. Runs once for an event that is verified and claimed; `request.webhook` holds it. */
      readonly handler: WebhookRoute
    })
)

/**
 * Serves every method of `path`, from a scope of its own so that other routes keep their parsers; do not wrap it in
 * `fastify-plugin`. With `receiver` the answer is the receiver’s, which you start and stop. With `handler` the event is
 * marked done when the route answers 2xx, before that answer leaves; any other answer gives it back for redelivery; the
 * store is checked and the guarantee logged when the server gets ready. Rejects with `ConfigurationError` as
 * `createReceiver` throws it.
 */
export async function fastifyPlugin(scope: FastifyInstance, options: FastifyPluginOptions): Promise<void> {
  const { path } = options
  if (typeof path !== 'string') throw new ConfigurationError('invalid_option', 'path must be a string')
  const route = 'receiver' in options ? receiverRoute(options.receiver) : guardedRoute(scope, options)
  scope.removeAllContentTypeParsers()
  // By its name too: Fastify reads a type that it knows only as `*` anew for each request, 1 us.
  scope.addContentTypeParser(['application/json', '*'], (_request, payload, done) => done(null, payload))
  scope.all(path, { errorHandler: answerUnparsed(route) }, route)
}

type Route = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

function receiverRoute(receiver: Receiver): Route {
  requireReceiver(receiver, 'fastifyPlugin')
  return async (request, reply) => respond(request, reply, await receiver.receive(deliveryOf(request)))
}

function guardedRoute(scope: FastifyInstance, options: Extract<FastifyPluginOptions, GateOptions>): Route {
  const { handler, gateOptions } = splitOptions(options)
  const gate = createGate(gateOptions)
  scope.addHook('onReady', () =>
    gate.start().catch((error) => {
      // An outage keeps no server from starting: deliveries are answered 503 until it ends.
      if (error instanceof ConfigurationError) throw error
      scope.log.error(error)
    }),
  )
  scope.addHook('onClose', () => gate.stop())
  return function receiveWebhook(request, reply) {
    return new Promise((resolve, reject) => {
      guardRoute(gate, deliveryOf(request), reply.raw, (webhook, held) => {
        const guarded = Object.assign(request, { webhook })
        const awaitsReply = watchThen(reply)
        const returned = attempt(() => handler.call(this, guarded, reply), reject)
        // A handler that returns nothing calls reply.send() when it is ready.
        if (returned === undefined) return
        Promise.resolve(returned).then((payload) => {
          if (!awaitsReply()) held.settleOnceClosed(reply.statusCode)
          resolve(payload)
        }, reject)
      })
        .then((result) => result && respond(request, reply, result).then(resolve))
        .catch(reject)
    })
  }
}

/** `register` adds options of its own to those of a plugin. */
function splitOptions(options: object) {
  const { path, handler, prefix, logLevel, logSerializers, ...rest } = options as Record<string, unknown>
  if (typeof handler !== 'function') {
    throw new ConfigurationError('invalid_option', 'give the plugin a receiver, or secret, store and handler')
  }
  return { handler: handler as WebhookRoute, gateOptions: rest as unknown as GateOptions }
}

function attempt<T>(run: () => T, fail: (error: unknown) => void): T | undefined {
  try {
    return run()
  } catch (error) {
    fail(error)
    return undefined
  }
}

/**
 * Tells whether a handler returned its reply, which resolves when the connection closes too: then what it resolves to says
 * nothing about what the route has done.
 */
function watchThen(reply: FastifyReply): () => boolean {
  const { then } = reply
  let isAwaited = false
  // biome-ignore lint/suspicious/noThenProperty: a reply is thenable already.
  reply.then = (...callbacks) => {
    isAwaited = true
    then.apply(reply, callbacks)
  }
  return () => isAwaited
}

/** Fastify refuses some content types before any parser of ours; the receiver has an answer for those too. */
function answerUnparsed(route: Route) {
  return function (this: FastifyInstance, error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const { code } = error as { code?: unknown }
    if (code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && code !== 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE')
      throw error
    return route.call(this, request, reply)
  }
}

function deliveryOf(request: FastifyRequest): ReceiveRequest {
  const { raw, body } = request
  return toReceiveRequest(raw, request, [raw, request], isStream(body) ? body : raw)
}

const isStream = (body: unknown): body is FastifyRequest['raw'] =>
  typeof (body as { pipe?: unknown } | null | undefined)?.pipe === 'function'

async function respond(request: FastifyRequest, reply: FastifyReply, result: ReceiveResult) {
  if (!request.raw.complete && (await isUploading(request.raw))) {
    // Fastify ends a response at once, which would reset the connection under an upload.
    reply.hijack()
    return answer(request.raw, reply.raw, result)
  }
  reply.code(result.status).headers(result.headers)
  return result.body
}
