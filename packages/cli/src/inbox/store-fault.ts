import { UnreachableError, UsageError } from '../exit.js'

const notMigrated = 'the tables of the store are missing or old: run webhook-inbox inbox migrate'
const networkCodes = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/

/** Whether a connection failed, outside the toolkit. */
export const isOfNetwork = (error: unknown): error is NodeJS.ErrnoException =>
  networkCodes.test((error as NodeJS.ErrnoException | undefined)?.code ?? '')

/**
 * The error that a command ends with, for an error of the store. Returns any other error unchanged. By code and not by class,
 * because the program has its own copy of the toolkit.
 */
export function storeFault(error: unknown): unknown {
  const { code, message, cause, reason } = Object(error) as Error & { code?: string; reason?: string }
  if (code === 'store_not_migrated' || reason === 'not_migrated') {
    return new UsageError(notMigrated)
  }
  if (code === 'store_unavailable' || isOfNetwork(error) || isOfNetwork(cause)) {
    return new UnreachableError(`the store cannot be reached: ${message || code}`)
  }
  return error
}
