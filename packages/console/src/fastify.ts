import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ConfigurationError, type Receiver } from 'webhook-inbox'
import { consoleApp } from './console-app.js'
import { nodeListener } from './node-listener.js'
import { type ConsoleOptions, resolveOptions } from './options.js'
import { pathBelow } from './path-below.js'

export type { ConsoleOptions } from './options.js'
export type { Mask } from './views/mask.js'
export type { ConsoleAction } from './wire.js'

/** What the plugin uses of a request of Fastify. */
export interface RequestOfFastify {
  readonly raw: IncomingMessage
}

interface Reply {
  readonly raw: ServerResponse
  hijack(): unknown
}

/** The receiver, the options of the console, and what `register` adds. */
export type ConsolePluginOptions<Request extends RequestOfFastify = RequestOfFastify> =
  ConsoleOptions<Request> & {
    readonly receiver: Receiver
    readonly prefix?: string | undefined
  }

/**
 * Serves the console below the `prefix` of `register`. Do not wrap it in `fastify-plugin`: that removes the scope. Rejects
 * with `ConfigurationError` (`invalid_option`, `unknown_option`, `invalid_store`).
 *
 * @example
 * await fastify.register(consolePlugin, { prefix: '/console', receiver, authorize, actor })
 */
export async function consolePlugin<Request extends RequestOfFastify = RequestOfFastify>(
  scope: FastifyInstance,
  options: ConsolePluginOptions<Request>,
): Promise<void> {
  const {
    receiver,
    prefix = '',
    logLevel,
    logSerializers,
    ...given
  } = options as ConsolePluginOptions & {
    readonly logLevel?: unknown
    readonly logSerializers?: unknown
  }
  if (prefix === '') {
    throw new ConfigurationError('invalid_option', 'register the plugin with a prefix, such as /console')
  }
  const listen = nodeListener(consoleApp(resolveOptions(receiver, given)))
  const serve = async (request: RequestOfFastify, reply: Reply): Promise<unknown> => {
    const path = pathBelow(scope.prefix, (request.raw.url ?? '/').split('?', 1)[0] ?? '/')
    reply.hijack()
    await listen(request.raw, reply.raw, { path: path ?? '/api/outside', caller: request })
    return reply
  }
  scope.removeAllContentTypeParsers()
  // The console reads the body itself, after it has checked the rights.
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  scope.all('/', serve as never)
  scope.all('/*', serve as never)
}
