import { invalidOption } from '../errors.js'

/**
 * Checks of what reaches a driver. Some drivers abort the process, or spread an array into their parameters, when they
 * get a value of another type. Each throws `ConfigurationError` `invalid_option`.
 */
export function checkText(name: string, value: unknown): void {
  if (typeof value !== 'string') {
    throw invalidOption(`${name} must be a string`)
  }
}

/** A string that every database takes in a query: without a zero character and without half of a character. */
export function checkName(name: string, value: unknown): void {
  checkText(name, value)
  if ((value as string).includes('\0') || !(value as string).isWellFormed()) {
    throw invalidOption(`${name} must have no zero character and no lone surrogate`)
  }
}

/** One of a few names. A lookup by key would take a list with one name for that name. */
export function checkChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (!choices.includes(value as string)) {
    throw invalidOption(`${name} must be one of ${choices.join(', ')}`)
  }
}

/** A time that every database takes. */
export function checkTime(name: string, value: unknown): void {
  const year = value instanceof Date ? value.getUTCFullYear() : Number.NaN
  if (!(year >= 1 && year <= 9999)) {
    throw invalidOption(`${name} must be a valid Date of the years 1 to 9999`)
  }
}

export function checkSeconds(name: string, value: unknown): void {
  if (!Number.isFinite(value)) {
    throw invalidOption(`${name} must be a number of seconds`)
  }
}

export function checkLimit(value: unknown, name = 'limit'): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > mostRows) {
    throw invalidOption(`${name} must be a whole number from 0 to ${mostRows}`)
  }
}

/** A database may count rows in 32 bits. */
const mostRows = 2 ** 31 - 1

/** The arguments of `prune`. */
export function checkPrune(doneBefore: unknown, limit: unknown): void {
  checkTime('doneBefore', doneBefore)
  checkLimit(limit)
}

/** What every driver takes: a string, a finite number, a bigint, bytes or null. */
export function isDriverValue(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return true
    case 'number':
      return Number.isFinite(value)
    default:
      return value === null || value instanceof Uint8Array
  }
}
