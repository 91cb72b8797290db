import { UnreachableError, UsageError } from '../exit.js'

const notMigrated = 'the tables of the store are missing or old: run webhook-inbox inbox migrate'
/** The SQLSTATE of a table or a column that does not exist. */
const missingTable = /^(42P01|42703)$/
const networkCodes = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/

/**
 * The error that a command ends with, for an error of the store. Returns any other error unchanged. By code and not by class,
 * because the program has its own copy of the toolkit.
 */
export function storeFault(error: unknown): unknown {
  const { code, message, cause } = error as Error & { code?: string }
  if (code === 'store_not_migrated') {
    return new UsageError(notMigrated)
  }
  const causeCode = (cause as NodeJS.ErrnoException | undefined)?.code
  if (missingTable.test(causeCode ?? '')) {
    return new UsageError(notMigrated)
  }
  if (code === 'store_unavailable' || networkCodes.test(code ?? '') || networkCodes.test(causeCode ?? '')) {
    return new UnreachableError(`the store cannot be reached: ${message || code}`)
  }
  return error
}
