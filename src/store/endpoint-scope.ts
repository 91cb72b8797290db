import { invalidOption } from '../errors.js'
import { requireObject } from '../given-options.js'
import { checkName } from './check-values.js'

/** The events or deliveries of one endpoint, or explicitly of every endpoint. */
export type EndpointScope =
  | { readonly endpoint: string; readonly allEndpoints?: false }
  | { readonly allEndpoints: true; readonly endpoint?: undefined }

/** Without this check, a forgotten endpoint would return the bodies of every tenant. */
export function checkScope(scope: EndpointScope): void {
  requireObject('a query', scope)
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
