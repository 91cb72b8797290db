import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Answer,
  type Answering,
  ConfigurationError,
  createGate,
  type GateOptions,
  type ReceiveRequest,
  requireReceiver,
} from '../src/adapter-port.js'
import { guardRoute, type Webhook } from './node/guard-route.js'
import { toReceiveRequest } from './node/to-receive-request.js'
import { answer, isUploading } from './node/write-answer.js'

export type { Webhook } from './node/guard-route.js'

/** The request that `handler` of `fastifyPlugin` gets. */
export type WebhookRequest = FastifyRequest & {
  /** The verified event and the context of a handler. */
  readonly webhook: Webhook
}

/** A route that runs once for each event. It responds like any route of Fastify. */
export type WebhookRoute = (this: FastifyInstance, request: WebhookRequest, reply: FastifyReply) => unknown

/** The path, and either a receiver or the options of the middleware form. */
export type FastifyPluginOptions = { readonly path: string } & (
  | { readonly receiver: Answering }
  | (GateOptions & {
      /** The route. It runs for a verified and claimed event, which is in `request.webhook`. */
      readonly handler: WebhookRoute
    })
)

/**
 * Serves every method of `path` in its own scope, so that other routes keep their parsers. Do not wrap it in
 * `fastify-plugin`, because this removes the scope.
 *
 * With `receiver` you start and stop the receiver yourself. With `handler`, if the route answers 2xx, the event is
 * marked as done before the response is sent. Any other response releases the event for redelivery. The plugin checks the
 * store and logs the guarantee when the server becomes ready. It waits for running deliveries when the server closes.
 *
 * Rejects with `ConfigurationError`, as `createReceiver` throws it.
 *
 * @example
 * await fastify.register(fastifyPlugin, { path: '/webhooks', receiver })
 */
export async function fastifyPlugin(scope: FastifyInstance, options: FastifyPluginOptions): Promise<void> {
  const { path } = options
  if (typeof path !== 'string') {
    // The routes of Fastify have `url`.
    const meant = 'url' in options ? '; the plugin takes path, not url' : ''
    throw new ConfigurationError('invalid_option', `path must be a string${meant}`)
  }
  // An empty one serves the prefix itself.
  if (!/^(?:$|[/*])/.test(path)) {
    throw new ConfigurationError('invalid_option', 'path must begin with /, such as /webhooks')
  }
  const { receiver, handler } = options as { receiver?: Answering; handler?: WebhookRoute }
  if (receiver !== undefined && handler !== undefined) {
    throw new ConfigurationError('invalid_option', 'give the plugin a receiver or a handler, not both')
  }
  const route =
    'receiver' in options && handler === undefined
      ? receiverRoute(options.receiver)
      : guardedRoute(scope, options as Extract<FastifyPluginOptions, GateOptions>)
  scope.removeAllContentTypeParsers()
  // `*` would be enough. With the name too, Fastify does not parse the content type of each request.
  scope.addContentTypeParser(['application/json', '*'], (_request, payload, done) => done(null, payload))
  scope.all(path, { errorHandler: answerUnparsed(route) }, route)
}

type Route = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

function receiverRoute(receiver: Answering): Route {
  requireReceiver(receiver, 'fastifyPlugin')
  return async (request, reply) => respond(request, reply, await receiver.receive(deliveryOf(request)))
}

function guardedRoute(scope: FastifyInstance, options: Extract<FastifyPluginOptions, GateOptions>): Route {
  const { handler, gateOptions } = splitOptions(options)
  const gate = createGate(gateOptions)
  scope.addHook('onReady', () =>
    gate.start().catch((error) => {
      // The server may start while the store is down. Deliveries are answered 503 until the store is back.
      if (error instanceof ConfigurationError) {
        throw error
      }
      scope.log.error(error)
    }),
  )
  scope.addHook('onClose', () => gate.stop())
  return function receiveWebhook(request, reply) {
    return new Promise((resolve, reject) => {
      guardRoute(gate, deliveryOf(request), reply.raw, (webhook, held) => {
        const guarded = Object.assign(request, { webhook })
        const awaitsReply = watchThen(reply)
        const fail = (error: unknown) => {
          held.noteError(error)
          reject(error)
        }
        const returned = attempt(() => handler.call(this, guarded, reply), fail)
        // A handler that returns nothing calls reply.send() later.
        if (returned === undefined) {
          return
        }
        Promise.resolve(returned).then((payload) => {
          if (!awaitsReply()) {
            held.settleOnceClosed(reply.statusCode)
          }
          resolve(payload)
        }, fail)
      })
        .then((result) => result && respond(request, reply, result).then(resolve))
        .catch(reject)
    })
  }
}

/** Fastify adds its own options of `register` to the options of a plugin. */
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
 * Returns a function that says whether the handler returned its reply. A reply also resolves when the connection
 * closes. Then its value does not show what the route did.
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

/** Fastify rejects some content types before our parser runs. This lets the receiver answer those requests too. */
function answerUnparsed(route: Route) {
  return function (this: FastifyInstance, error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const { code } = error as { code?: unknown }
    if (code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && code !== 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') {
      throw error
    }
    return route.call(this, request, reply)
  }
}

function deliveryOf(request: FastifyRequest): ReceiveRequest {
  const { raw, body } = request
  return toReceiveRequest(raw, request, [raw, request], isStream(body) ? body : raw)
}

const isStream = (body: unknown): body is FastifyRequest['raw'] =>
  typeof (body as { pipe?: unknown } | null | undefined)?.pipe === 'function'

async function respond(request: FastifyRequest, reply: FastifyReply, result: Answer) {
  if (!request.raw.complete && (await isUploading(request.raw))) {
    // Fastify would end the response immediately, and so reset the connection during an upload.
    reply.hijack()
    return answer(request.raw, reply.raw, result)
  }
  reply.code(result.status).headers(result.headers)
  return result.body
}
