import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Receiver } from 'webhook-inbox'
import { consoleApp } from './console-app.js'
import { nodeListener } from './node-listener.js'
import { type MountedOptions, resolveOptions } from './options.js'
import { pathBelow } from './path-below.js'

/** What `createServer` and Express take for a handler. */
export type ConsoleHandler<Request> = (
  request: Request,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>

/**
 * The console as a handler of node:http and Express. Express removes the path that it is mounted at; with node:http give
 * `path`. A request outside of that path goes to `next`, or is answered 404. Throws `ConfigurationError` (`invalid_option`,
 * `unknown_option`, `invalid_store`).
 *
 * `Request` is what `authorize` and `actor` get. Default `IncomingMessage`; with Express name its own `Request`.
 *
 * @example
 * import type { Request } from 'express'
 *
 * app.use('/webhooks/console', consoleHandler<Request>(receiver, {
 *   authorize: (request, action) => rightsOf(request).has(action),
 *   actor: (request) => userOf(request).email,
 * }))
 */
export function consoleHandler<Request extends IncomingMessage = IncomingMessage>(
  receiver: Receiver,
  options: MountedOptions<Request>,
): ConsoleHandler<Request> {
  const settings = resolveOptions(receiver, options)
  const listen = nodeListener(consoleApp(settings))
  return async (request, response, next) => {
    const path = pathBelow(settings.path, request.url ?? '/')
    if (path === undefined && next) {
      next()
      return
    }
    await listen(request, response, { path: path ?? '/api/outside', caller: request })
  }
}
