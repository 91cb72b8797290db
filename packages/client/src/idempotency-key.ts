import { UsageError } from './errors.js'
import { idempotencyKeyPattern } from './schemas/idempotency-key-pattern.js'

/** The key of one POST: yours, or a new one. All its retries are sent with it. */
export function idempotencyKeyOf(given: string | undefined): string {
  if (given === undefined) {
    return crypto.randomUUID()
  }
  if (!idempotencyKeyPattern.test(given)) {
    throw new UsageError('invalid_option', 'idempotencyKey must be 1 to 255 visible ASCII characters')
  }
  return given
}
