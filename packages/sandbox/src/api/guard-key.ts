import type { MiddlewareHandler } from 'hono'
import { IdempotencyKey } from 'webhook-inbox-client/schemas'
import type { Env } from './app.js'
import { scopeOf } from './kept-answers.js'
import { Problem } from './problems.js'

/** Rejects a key that is malformed, or whose request is still under way. Runs before the body is read. */
export function guardKey(): MiddlewareHandler<Env> {
  const underWay = new Set<string>()
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (c.req.method !== 'POST' || key === undefined) {
      return next()
    }
    if (!IdempotencyKey.safeParse(key).success) {
      const detail = 'The Idempotency-Key must have 1 to 255 visible ASCII characters.'
      throw new Problem('malformed_request', detail, { param: 'Idempotency-Key', gap: 'G29' })
    }
    const scope = scopeOf(c, key)
    if (underWay.has(scope)) {
      const detail = 'A request with this Idempotency-Key is under way. Try again later.'
      throw new Problem('idempotency_key_in_use', detail, { gap: 'G25', headers: { 'Retry-After': '1' } })
    }
    underWay.add(scope)
    try {
      await next()
    } finally {
      underWay.delete(scope)
    }
  }
}
