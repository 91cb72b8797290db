import { channel } from 'node:diagnostics_channel'
import type { Context, MiddlewareHandler } from 'hono'
import type { RequestRecord } from '../control/request-log.js'
import type { Service } from '../service.js'
import type { Env } from './app.js'
import { warningHeader } from './warnings.js'

/** Publishes every response. The tests validate each of them against `openapi.json`. */
const answers = channel('webhook-inbox-sandbox:answer')

/**
 * True for a read by the page of the inspector, which is not a request of the user's program. Only a browser sets this header,
 * and only this page has the origin of the sandbox.
 */
const isOwnRead = (c: Context) => c.req.method === 'GET' && c.req.header('sec-fetch-site') === 'same-origin'

/** The outermost step. Adds the Request-Id and the assumption to every response, and reports the request. */
export function answered({ ids }: Service, report: (request: RequestRecord) => void): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now()
    const id = ids.next('req')
    c.set('requestId', id)
    c.set('subject', '')
    await next()
    const { status } = c.res
    c.header('Request-Id', id)
    const assumptions = c.get('assumptions')
    if (assumptions && status < 300) {
      c.header('Sandbox-Assumption', assumptions)
    }
    const warnings = warningHeader(c.get('warnings'))
    if (warnings !== undefined) {
      c.header('Sandbox-Warning', warnings)
    }
    const { method, path } = c.req
    if (answers.hasSubscribers) {
      answers.publish({ method, path, response: c.res.clone() })
    }
    if (isOwnRead(c)) {
      return
    }
    report({
      id,
      method,
      path,
      status,
      subject: c.get('subject'),
      isReplayed: c.get('isReplayed') ?? false,
      code: c.get('problem'),
      milliseconds: performance.now() - started,
      at: Date.now(),
    })
  }
}
