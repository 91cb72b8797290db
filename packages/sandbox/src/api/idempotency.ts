import { createHash } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Options } from '../options/options.js'
import type { Service } from '../service.js'
import type { Env, Kept } from './app.js'
import { parseJson } from './body.js'
import { canonicalJson } from './canonical-json.js'
import { findKept, type KeptAnswer, keep, scopeOf } from './kept-answers.js'
import { Problem } from './problems.js'

/** The headers that belong to the result, and are repeated with it. */
const keptHeaders = ['content-type', 'location', 'sandbox-assumption', 'sandbox-warning', 'allow']

/**
 * Repeats the response of an earlier POST with the same Idempotency-Key. `readBody` must have run, and the routes must
 * write through `commit`. Stores every response except 409, 413, 429, and 500 and above.
 */
export function idempotency(service: Service): MiddlewareHandler<Env> {
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (c.req.method !== 'POST' || key === undefined) {
      return next()
    }
    const scope = scopeOf(c, key)
    const fingerprint = fingerprintOf(await c.req.text())
    const known = findKept(service, scope)
    if (known && known.fingerprint !== fingerprint) {
      throw reused(service.options)
    }
    if (known) {
      return answerAgain(c, known)
    }
    const kept: Kept = { scope, fingerprint, isStored: false }
    c.set('kept', kept)
    await next()
    if (!kept.isStored && isWorthKeeping(c.res)) {
      const { status, headers } = c.res
      keep(service, kept, { status, headers: headersOf(headers), body: await c.res.clone().text() })
    }
  }
}

const isWorthKeeping = ({ status }: Response) => status < 500 && ![409, 413, 429].includes(status)

function reused({ idempotencyConflict: status }: Options): Problem {
  const detail = 'This Idempotency-Key was used with another body. Use a new key for a new request.'
  return new Problem('idempotency_key_reused', detail, { param: 'Idempotency-Key', gap: 'G25', status })
}

function answerAgain(c: Context<Env>, { status, headers, body }: KeptAnswer): Response {
  c.set('isReplayed', true)
  return c.body(body, status as ContentfulStatusCode, { ...headers, 'Idempotency-Replayed': 'true' })
}

const headersOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => keptHeaders.includes(name)))

/** The same text for the same JSON, also with another order of keys or other white space. */
function fingerprintOf(text: string): string {
  const value = parseJson(text)
  return createHash('sha256')
    .update(value === undefined ? text : canonicalJson(value))
    .digest('hex')
}
