import type { Context } from 'hono'
import type { Service } from '../service.js'
import type { Env } from './app.js'
import { keep } from './kept-answers.js'
import { warningHeader } from './warnings.js'

/**
 * Makes the record of a POST. In the same commit it keeps the response 201 for the Idempotency-Key. The caller responds. `list`
 * is the path of the list of such records.
 */
export function commit<Body extends { readonly id: string }>(
  c: Context<Env>,
  service: Service,
  list: string,
  run: () => Body,
): Body {
  const kept = c.get('kept')
  const body = service.database.transaction(() => {
    const result = run()
    if (kept) {
      const headers = headersOf(c, `${list}/${result.id}`)
      keep(service, kept, { status: 201, headers, body: JSON.stringify(result) })
    }
    return result
  })()
  if (kept) {
    kept.isStored = true
  }
  c.header('Location', `${list}/${body.id}`)
  service.wake()
  return body
}

function headersOf(c: Context<Env>, location: string): Record<string, string> {
  const warnings = warningHeader(c.get('warnings'))
  return {
    location,
    'content-type': 'application/json',
    'sandbox-assumption': c.get('assumptions'),
    ...(warnings !== undefined && { 'sandbox-warning': warnings }),
  }
}
