import type { MiddlewareHandler } from 'hono'
import type { Env } from './app.js'

/** Sends the header `Deprecation` (RFC 9745) on every response, rejections included. */
export function deprecatedSince(date: string): MiddlewareHandler<Env> {
  const value = `@${Math.floor(Date.parse(date) / 1000)}`
  return async (c, next) => {
    await next()
    c.header('Deprecation', value)
  }
}
