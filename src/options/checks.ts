import { ConfigurationError } from '../errors.js'

/**
 * The options that were given: one that is `undefined` was not. Throws `ConfigurationError`, `unknown_option` for one
 * that there is not, `invalid_option` where they are no object.
 */
export function givenOptions(
  owner: string,
  options: unknown,
  known: readonly string[],
): Record<string, unknown> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidOption(`the options of ${owner} must be an object`)
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const unknown = given.map(([name]) => name).filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new ConfigurationError(
      'unknown_option',
      `${unknown.join(', ')} is not an option of ${owner}; there are ${known.join(', ')}`,
    )
  }
  return Object.fromEntries(given)
}

export const invalidOption = (message: string) => new ConfigurationError('invalid_option', message)
