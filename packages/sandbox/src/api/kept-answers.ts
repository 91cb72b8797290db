import type { Context } from 'hono'
import type { Service } from '../service.js'
import type { Env, Kept } from './app.js'

const dayMilliseconds = 24 * 60 * 60 * 1000

/** The response to an earlier request with an Idempotency-Key. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface KeptRow {
  readonly fingerprint: string
  readonly status: number
  /** JSON. */
  readonly headers: string
  readonly body: string
}

/** Two requests with one key are the same request only if the credential, the method and the path are equal too. */
export const scopeOf = (c: Context<Env>, key: string): string =>
  JSON.stringify([c.get('apiKey'), c.req.method, c.req.path, key])

/** The response of the last 24 hours, with the fingerprint of its request. */
export function findKept(
  { database, clock }: Service,
  scope: string,
): (KeptAnswer & { readonly fingerprint: string }) | undefined {
  const row = database
    .prepare('SELECT * FROM idempotency WHERE scope = ? AND created_at > ?')
    .get(scope, clock.now() - dayMilliseconds) as KeptRow | undefined
  if (!row) {
    return undefined
  }
  const { fingerprint, status, headers, body } = row
  return { fingerprint, status, headers: JSON.parse(headers) as Record<string, string>, body }
}

/** Stores a response, and deletes those that are older than 24 hours. */
export function keep({ database, clock }: Service, { scope, fingerprint }: Kept, answer: KeptAnswer): void {
  const now = clock.now()
  const { status, headers, body } = answer
  database.transaction(() => {
    database.prepare('DELETE FROM idempotency WHERE created_at <= ?').run(now - dayMilliseconds)
    database
      .prepare(
        'INSERT INTO idempotency (scope, fingerprint, status, headers, body, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(scope, fingerprint, status, JSON.stringify(headers), body, now)
  })()
}
