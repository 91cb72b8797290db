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

export function checkSeconds(name: string, value: unknown): void {
  if (!Number.isFinite(value)) {
    throw invalidOption(`${name} must be a number of seconds`)
  }
}

export function checkLimit(value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw invalidOption('limit must be a whole number, zero or more')
  }
}

/** The arguments of `prune`. */
export function checkPrune(doneBefore: unknown, limit: unknown): void {
  if (!(doneBefore instanceof Date) || Number.isNaN(doneBefore.getTime())) {
    throw invalidOption('doneBefore must be a valid Date')
  }
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
