import { invalidOption } from '../errors.js'
import { checkName, checkText } from './check-values.js'
import type { Audit, EndpointScope } from './inbox.js'

/** Without this a forgotten endpoint would return the bodies of every tenant. */
export function checkScope(scope: EndpointScope): void {
  if (typeof scope !== 'object' || scope === null) {
    throw invalidOption('a query must be an object')
  }
  const { endpoint, allEndpoints } = scope
  if (allEndpoints === true && endpoint === undefined) {
    return
  }
  if (typeof endpoint === 'string' && !allEndpoints) {
    checkName('endpoint', endpoint)
    return
  }
  throw invalidOption('give an endpoint, a string, or allEndpoints: true')
}

export function checkAudit(audit: Audit): void {
  checkText('reason', audit?.reason)
  checkText('actor', audit?.actor)
}
