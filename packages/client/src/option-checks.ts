import { UsageError } from './errors.js'
import type { CallOptions } from './options.js'

const callOptions = ['idempotencyKey', 'signal', 'timeoutSeconds', 'headers']

/** The longest delay of a timer is 24.8 days. A request never takes more than a day. */
const day = 86_400

/** Checks the options of one call. Throws `UsageError`. */
export function checkCallOptions(options: CallOptions): void {
  checkNames('a call', options, callOptions)
  if (options.timeoutSeconds !== undefined) {
    timeout(options.timeoutSeconds)
  }
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw invalid('signal must be an AbortSignal')
  }
}

/** Throws `UsageError` for a name that is not known. */
export function checkNames(where: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) {
    throw invalid(`the options of ${where} must be an object`)
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) {
    return
  }
  throw new UsageError(
    'unknown_option',
    `${where} has no option ${unknown.slice(0, 100)}. It has: ${known.join(', ')}`,
  )
}

interface Range {
  readonly least: number
  readonly most: number
}

/** Each function here returns a valid value, and throws `UsageError` for any other. */

export const timeout = (value: number) => number('timeoutSeconds', value, { least: 0.001, most: day })

export const pause = (name: string, value: number) => number(name, value, { least: 0, most: day })

export function wholeNumber(name: string, value: number, { least, most }: Range): number {
  if (Number.isInteger(value) && value >= least && value <= most) {
    return value
  }
  throw invalid(`${name} must be a whole number from ${least} to ${most}`)
}

function number(name: string, value: number, { least, most }: Range): number {
  if (typeof value === 'number' && value >= least && value <= most) {
    return value
  }
  throw invalid(`${name} must be a number from ${least} to ${most}`)
}

export const invalid = (message: string) => new UsageError('invalid_option', message)
