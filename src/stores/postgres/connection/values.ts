import { invalidOption } from '../../../errors.js'
import { isDriverValue } from '../../../store/check-values.js'

/** What a statement takes for `$1` and so on; an array for a column of a batch. Throws `ConfigurationError`. */
export function checkedValues(values: readonly unknown[]): unknown[] {
  const isTaken = (value: unknown) =>
    Array.isArray(value) ? value.every(isDriverValue) : isDriverValue(value)
  if (values.every(isTaken)) {
    return [...values]
  }
  throw invalidOption('Postgres takes strings, numbers, bytes and null')
}
