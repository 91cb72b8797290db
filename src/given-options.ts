import { oneLine } from './codes.js'
import { ConfigurationError, invalidOption } from './errors.js'

/** Options with every default filled in: none is absent, and none is `undefined`. */
export type Filled<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> }

/**
 * Returns the options without those that are `undefined`. Throws `ConfigurationError`: `unknown_option` for an unknown
 * name, `invalid_option` if the options are not an object.
 */
export function givenOptions(
  owner: string,
  options: unknown,
  known: readonly string[],
): Record<string, unknown> {
  const given = entriesOf(owner, options).filter(([, value]) => value !== undefined)
  const unknown = given.flatMap(([name]) => (known.includes(name) ? [] : shown(name)))
  if (unknown.length > 0) {
    const other = readable(owner, () => otherThing(options as object, unknown.length === given.length))
    if (other) {
      throw new ConfigurationError(
        'unknown_option',
        `${owner} takes an object of options, such as { ${known[0]} }, and not ${oneLine(other)}`,
      )
    }
    const [meant] = unknown.flatMap((name) => similarName(name, known) ?? [])
    throw new ConfigurationError(
      'unknown_option',
      `${oneLine(unknown.join(', '))} ${unknown.length > 1 ? 'are not options' : 'is not an option'} of ${owner}; ${
        meant ? `did you mean ${meant}?` : `there are ${known.join(', ')}`
      }`,
    )
  }
  return Object.fromEntries(given)
}

/** Throws as {@link givenOptions} does for an unknown name, and copies nothing: for functions that are called for each request. */
export function checkNames(owner: string, options: object, known: ReadonlySet<string>): void {
  for (const name in options) {
    if (!known.has(name)) {
      givenOptions(owner, options, [...known])
    }
  }
}

function entriesOf(owner: string, options: unknown): [string, unknown][] {
  const name = `the options of ${owner}`
  requireObject(name, options)
  const { entries, plain } = readable(name, () => ({
    entries: Object.entries(options),
    plain: isPlain(options),
  }))
  // A promise without await, a Date or a Map. It would count as no conditions, and so select everything.
  if (entries.length === 0 && !plain) {
    throw invalidOption(`${name} must be a plain object. Is an await missing?`)
  }
  return entries
}

/**
 * Reads what a user gave. A getter or a proxy may throw anything: then this throws `ConfigurationError` `invalid_option`.
 */
export function readable<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw isConfigurationError(error) ? error : invalidOption(`${name} must be readable`, { cause: error })
  }
}

/** Whether a client or another object of the user has these methods. Throws as {@link readable} does. */
export const hasMethods = (name: string, value: unknown, ...methods: string[]): boolean =>
  readable(name, () =>
    methods.every((method) => typeof (value as Record<string, unknown> | undefined)?.[method] === 'function'),
  )

function isConfigurationError(error: unknown): boolean {
  try {
    return error instanceof ConfigurationError
  } catch {
    return false
  }
}

/** A user's text in a message: short, on one line. Of anything but text, its type. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? oneLine(value, 100) : typeof value

/** Throws `ConfigurationError` `invalid_option` if there is nothing to read options or parts from. */
export function requireObject(name: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidOption(`${name} must be an object`)
  }
}

/** What a user gave instead of options, such as the pool itself. `isForeign`: it has no known option. */
function otherThing(options: object, isForeign: boolean): string | undefined {
  const { receive, start } = options as Record<string, unknown>
  if (typeof receive === 'function' && typeof start === 'function') {
    return 'a receiver'
  }
  return isPlain(options) || !isForeign ? undefined : `an instance of ${shown(options.constructor?.name)}`
}

/** Of this realm or another one. */
function isPlain(options: object): boolean {
  const prototype = Object.getPrototypeOf(options)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * The name that was probably meant, such as that of an option. It is the most similar one, with or without its unit, or one that
 * starts with the given name.
 */
export function similarName(name: string, known: readonly string[]): string | undefined {
  const given = name.toLowerCase().replace(/[^a-z]/g, '')
  const distances = known.map((candidate) => {
    const full = candidate.toLowerCase()
    return Math.min(editDistance(full, given), editDistance(full.replace('seconds', ''), given))
  })
  const least = Math.min(...distances)
  if (least <= Math.min(3, given.length / 4)) {
    return known[distances.indexOf(least)]
  }
  return given.length > 3 ? known.find((candidate) => candidate.toLowerCase().startsWith(given)) : undefined
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const above = row
    row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1)
    }
  }
  return row[b.length] as number
}
