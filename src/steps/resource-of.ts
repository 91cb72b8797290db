import { catchLater } from '../catch-later.js'
import { HandlerFailure } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../options/settings.js'

/** Long enough for any identifier, and short enough for the index of a database. */
const longestResource = 512

/**
 * The result of the user's `resource()` for an event. Throws `HandlerFailure` if it throws, or if it returns anything
 * but a string of 1 to 512 characters, `undefined` or `null`.
 */
export function resourceOf(
  { resource }: Pick<Settings, 'resource'>,
  event: WebhookEvent,
): string | undefined {
  if (!resource) {
    return undefined
  }
  let returned: unknown
  try {
    // A copy, because the result and telemetry still need the id and the type.
    returned = resource({ ...event })
  } catch (error) {
    throw new HandlerFailure(error, 'in resource()')
  }
  if (returned === undefined || returned === null) {
    return undefined
  }
  if (typeof returned !== 'string') {
    const isPromise = catchLater(returned)
    throw unusable(isPromise ? 'a promise' : `a value of type ${typeof returned}`)
  }
  if (returned === '') {
    throw unusable('an empty string')
  }
  if (returned.length > longestResource) {
    throw unusable(`${returned.length} characters`)
  }
  if (!returned.isWellFormed() || returned.includes('\0')) {
    throw unusable('a string with a zero character or a lone surrogate')
  }
  return returned
}

const unusable = (what: string) =>
  new HandlerFailure(
    new TypeError(
      `resource() returned ${what}; it must return a string of 1 to ${longestResource} characters, undefined or null`,
    ),
    'in resource()',
  )
