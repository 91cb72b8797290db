import { Problem } from '../problem.js'
import { bodyView } from '../views/body-view.js'
import { isValue, parseExact, partsOf, valuesAt } from '../views/json-values.js'
import type { Call } from './route.js'

/** The conditions that have an index. A search needs one of them. */
const served = ['state', 'type', 'group', 'resource', 'since', 'until']

/**
 * Whether a body has a value at a path: `data.customer.name:Ada`. It compares with what the person may see, so a masked value is
 * not found. Throws a `Problem` without the right to read bodies, or without a condition that has an index.
 */
export async function bodyMatcher({ options, query, may }: Call): Promise<(body: Uint8Array) => boolean> {
  if (!(await may('bodies:read'))) {
    throw new Problem('forbidden', 'A search in bodies needs the right bodies:read.')
  }
  if (!served.some((name) => query.get(name))) {
    throw new Problem('invalid_request', `A search in bodies also needs one of ${served.join(', ')}.`)
  }
  const matches = matcherOf(query.get('body') ?? '')
  return (body) => matches(bodyView(body, options.mask).text)
}

/** Throws a `Problem` for anything but a path, a colon and a value. */
function matcherOf(condition: string): (text: string | null) => boolean {
  const colon = condition.indexOf(':')
  if (colon < 1) {
    throw new Problem('invalid_request', 'body must be a path and a value, such as data.customer.name:Ada')
  }
  const path = condition.slice(0, colon)
  // A name can contain brackets itself.
  const paths = [path.split('.'), partsOf(path)]
  const wanted = condition.slice(colon + 1)
  return (text) => {
    const value = text === null ? undefined : parseExact(text)
    return paths.some((parts) => valuesAt(value, parts).some((each) => isValue(each, wanted)))
  }
}
