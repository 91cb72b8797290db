import { ConfigurationError, StoreError, type StoreReason } from '../../../errors.js'

/** Primary result codes (sqlite.org/rescode.html) that this store distinguishes. */
export const busy = 5
export const readOnly = 8
export const full = 13
export const cannotOpen = 14
export const constraint = 19
export const notADatabase = 26

const byName: Readonly<Record<string, number>> = {
  SQLITE_BUSY: busy,
  SQLITE_READONLY: readOnly,
  SQLITE_FULL: full,
  SQLITE_CANTOPEN: cannotOpen,
  SQLITE_CONSTRAINT: constraint,
  SQLITE_NOTADB: notADatabase,
}

/** Returns the primary result code of an error of a driver, if it is one of those above. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) {
    return undefined
  }
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  // node:sqlite gives a number with the extended code in its upper bytes, the others a name with a suffix.
  if (typeof errcode === 'number') {
    return errcode & 0xff
  }
  return typeof code === 'string' ? byName[code.split('_').slice(0, 2).join('_')] : undefined
}

/** What SQLite or its driver threw, as the store’s own error. */
export function sqliteFault(doing: string, cause: unknown): StoreError | ConfigurationError {
  if (cause instanceof StoreError || cause instanceof ConfigurationError) {
    return cause
  }
  const message = cause instanceof Error ? cause.message : String(cause)
  const result = resultCode(cause) ?? 0
  const fix = fixes[result]
  const reason = reasons[result] ?? 'unavailable'
  return new StoreError(`SQLite could not ${doing}: ${message}${fix ? `; ${fix}` : ''}`, { cause, reason })
}

const reasons: Readonly<Record<number, StoreReason>> = {
  [busy]: 'busy',
  [full]: 'full',
  [readOnly]: 'denied',
}

const fixes: Readonly<Record<number, string>> = {
  [busy]: 'another process has held the write lock for longer than busySeconds',
  [full]: 'make room on the disk, or raise max_page_count',
}
