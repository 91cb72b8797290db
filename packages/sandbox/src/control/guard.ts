import type { MiddlewareHandler } from 'hono'
import { isLoopback } from 'webhook-inbox-client/schemas'
import type { Env } from '../api/app.js'
import { Problem } from '../api/problems.js'

/** Where the sandbox listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Rejects a request from a page of another site. Such a request has the host name of another site that resolves to this
 * machine (DNS rebinding), or another Origin (CSRF). Another port on loopback is another origin too.
 *
 * `sandbox.fetch` needs no Host: no browser can call it.
 */
export function ownHost(addressOf: () => Address): MiddlewareHandler<Env> {
  return (c, next) => {
    if (!c.env?.incoming) {
      return next()
    }
    const given = c.req.header('host') ?? ''
    if (!isOwn(given, addressOf())) {
      throw new Problem('foreign_host', `The Host ${JSON.stringify(given.slice(0, 80))} is not this sandbox.`)
    }
    return next()
  }
}

/** Like {@link ownHost}, for requests that only the sandbox's own page may make. */
export function ownOrigin(addressOf: () => Address): MiddlewareHandler<Env> {
  return (c, next) => {
    if (c.req.header('service-signature') !== undefined) {
      throw new Problem('foreign_origin', 'A delivery is no request to the control plane.')
    }
    const origin = c.req.header('origin')
    if (origin === undefined) {
      return next()
    }
    const host = /^http:\/\/(.+)$/.exec(origin)?.[1]
    // Same-origin: the Origin must be equal to the Host of the request.
    if (!host || !isOwn(host, addressOf()) || (c.env?.incoming && host !== c.req.header('host'))) {
      throw new Problem('foreign_origin', 'Only the page of this sandbox may do this.')
    }
    return next()
  }
}

function isOwn(given: string, { host, port }: Address): boolean {
  const url = URL.canParse(`http://${given}`) ? new URL(`http://${given}`) : undefined
  if (!url || Number(url.port || 80) !== port) {
    return false
  }
  return isLoopback(url.hostname) || url.hostname === host || url.hostname === `[${host}]`
}
