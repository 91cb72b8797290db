import { createHash } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { IdempotencyKey } from 'webhook-inbox-client/schemas'
import type { Service } from '../service.js'
import type { Env, Kept } from './app.js'
import { parseJson } from './body.js'
import { canonicalJson } from './canonical-json.js'
import { Problem } from './problems.js'
import { warningHeader } from './warnings.js'

const dayMilliseconds = 24 * 60 * 60 * 1000

/** The headers that belong to the result, and are repeated with it. */
const keptHeaders = ['content-type', 'location', 'sandbox-assumption', 'sandbox-warning', 'allow']

/**
 * Repeats the response of an earlier POST with the same Idempotency-Key. `readBody` must have run, and the routes must
 * write through `commit`. Stores every response except 409, 413, 429, and 500 and above.
 */
export function idempotency(service: Service): MiddlewareHandler<Env> {
  const { database, clock } = service
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (c.req.method !== 'POST' || key === undefined) {
      return next()
    }
    const scope = JSON.stringify([c.get('apiKey'), c.req.method, c.req.path, key])
    const fingerprint = fingerprintOf(await c.req.text())
    const since = clock.now() - dayMilliseconds
    const known = database
      .prepare('SELECT * FROM idempotency WHERE scope = ? AND created_at > ?')
      .get(scope, since) as KeptRow | undefined
    if (known) {
      return answerAgain(c, service, known, fingerprint)
    }
    const kept: Kept = { scope, fingerprint, isStored: false }
    c.set('kept', kept)
    await next()
    const isWorthKeeping = c.res.status < 500 && ![409, 413, 429].includes(c.res.status)
    if (kept.isStored || !isWorthKeeping) {
      return
    }
    keep(service, kept, c.res.status, headersOf(c.res.headers), await c.res.clone().text())
  }
}

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
    const scope = JSON.stringify([c.get('apiKey'), c.req.path, key])
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

const json = 'application/json'

/**
 * Makes the record of a POST and responds 201. The effect and the response for the Idempotency-Key are one commit. `location`
 * is the path of the list of such records.
 */
export function commit<Body extends { readonly id: string }>(
  c: Context<Env>,
  service: Service,
  location: string,
  run: () => Body,
): Body {
  const kept = c.get('kept')
  const body = service.database.transaction(() => {
    const result = run()
    if (kept) {
      keep(service, kept, 201, headersOfResult(c, `${location}/${result.id}`), JSON.stringify(result))
    }
    return result
  })()
  if (kept) {
    kept.isStored = true
  }
  c.header('Location', `${location}/${body.id}`)
  service.wake()
  return body
}

function headersOfResult(c: Context<Env>, location: string): Record<string, string> {
  const warnings = warningHeader(c.get('warnings'))
  return {
    location,
    'content-type': json,
    'sandbox-assumption': c.get('assumptions'),
    ...(warnings !== undefined && { 'sandbox-warning': warnings }),
  }
}

interface KeptRow {
  readonly fingerprint: string
  readonly status: number
  readonly headers: string
  readonly body: string
}

function answerAgain(c: Context<Env>, { options }: Service, known: KeptRow, fingerprint: string): Response {
  if (known.fingerprint !== fingerprint) {
    const detail = 'This Idempotency-Key was used with another body. Use a new key for a new request.'
    const status = options.idempotencyConflict
    throw new Problem('idempotency_key_reused', detail, { param: 'Idempotency-Key', gap: 'G25', status })
  }
  c.set('isReplayed', true)
  return c.body(known.body, known.status as ContentfulStatusCode, {
    ...(JSON.parse(known.headers) as Record<string, string>),
    'Idempotency-Replayed': 'true',
  })
}

function keep(
  { database, clock }: Service,
  { scope, fingerprint }: Kept,
  status: number,
  headers: Record<string, string>,
  body: string,
): void {
  const now = clock.now()
  database.transaction(() => {
    database.prepare('DELETE FROM idempotency WHERE created_at <= ?').run(now - dayMilliseconds)
    database
      .prepare(
        'INSERT INTO idempotency (scope, fingerprint, status, headers, body, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(scope, fingerprint, status, JSON.stringify(headers), body, now)
  })()
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
