import type { Receiver } from 'webhook-inbox'
import { consoleApp } from './console-app.js'
import { type MountedOptions, resolveOptions } from './options.js'
import { pathBelow } from './path-below.js'

export type { ConsoleOptions, MountedOptions } from './options.js'
export type { Mask } from './views/mask.js'
export type { ConsoleAction } from './wire.js'

/**
 * The console as a function from `Request` to `Response`, for Hono, Next and others on Node. Give `path`, the path that it is
 * mounted at. Throws `ConfigurationError` (`invalid_option`, `unknown_option`, `invalid_store`).
 *
 * @example
 * app.all('/console/*', (c) => handle(c.req.raw))
 */
export function consoleFetch(
  receiver: Receiver,
  options: MountedOptions<Request>,
): (request: Request) => Promise<Response> {
  const settings = resolveOptions(receiver, options)
  const app = consoleApp(settings)
  return (request) => {
    const { pathname } = new URL(request.url)
    const path = pathBelow(settings.path, pathname) ?? '/api/outside'
    return app(request, { path, caller: request })
  }
}
