import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Receiver } from 'webhook-inbox'
import { consoleApp } from './console-app.js'
import { nodeListener } from './node-listener.js'
import { type MountedOptions, resolveOptions } from './options.js'
import { pathBelow } from './path-below.js'

export type { ConsoleOptions, MountedOptions } from './options.js'
export type { Mask } from './views/mask.js'
export type { ConsoleAction } from './wire.js'

/** What the middleware uses of a context of Koa. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly path: string
  respond?: boolean | undefined
}

/**
 * The console as a middleware of Koa. Give `path`, or mount it with koa-mount. Throws `ConfigurationError` (`invalid_option`,
 * `unknown_option`, `invalid_store`).
 *
 * @example
 * app.use(consoleMiddleware(receiver, { path: '/console', authorize, actor }))
 */
export function consoleMiddleware<Context extends KoaContext = KoaContext>(
  receiver: Receiver,
  options: MountedOptions<Context>,
): (context: Context, next: () => Promise<unknown>) => Promise<void> {
  const settings = resolveOptions(receiver, options)
  const listen = nodeListener(consoleApp(settings))
  return async (context, next) => {
    const path = pathBelow(settings.path, context.path)
    if (path === undefined) {
      await next()
      return
    }
    // Koa does not write a response of its own then.
    context.respond = false
    await listen(context.req, context.res, { path, caller: context })
  }
}
