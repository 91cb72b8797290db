import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { readonlyKey } from '../options/options.js'
import type { Env } from './app.js'
import { Problem } from './problems.js'

/** Requires `Authorization: Bearer` with the key of the sandbox, or its read-only key for reads. */
export function authenticate(apiKey: string): MiddlewareHandler<Env> {
  return (c, next) => {
    const header = c.req.header('authorization')
    const [, given] = /^bearer +([!-~]+) *$/i.exec(header ?? '') ?? []
    const known = given && [apiKey, readonlyKey].find((key) => isSame(key, given))
    if (!known) {
      throw unauthorized(header)
    }
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (known === readonlyKey && !isRead) {
      throw new Problem('forbidden', 'This key may only read.', { gap: 'G17' })
    }
    c.set('apiKey', known)
    return next()
  }
}

/** RFC 6750: an error code only if a credential was given. */
function unauthorized(header: string | undefined): Problem {
  const detail =
    header === undefined
      ? 'The Authorization header is missing. Send "Authorization: Bearer <key>".'
      : 'The Authorization header has no valid bearer key.'
  const challenge = header === undefined ? 'Bearer' : 'Bearer error="invalid_token"'
  return new Problem('unauthorized', detail, { gap: 'I19', headers: { 'WWW-Authenticate': challenge } })
}

/** Takes the same time at whatever position the two differ. */
function isSame(expected: string, given: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(expected), digest(given))
}
