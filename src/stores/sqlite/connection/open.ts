import { closeSync, existsSync, openSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { ConfigurationError } from '../../../errors.js'
import { migrate } from '../migrations/sqlite-migrations.js'
import { doesLoad, findDriver, notLoaded } from './driver.js'
import type { SqliteDatabase } from './sqlite-database.js'
import { cannotOpen, notADatabase, readOnly, resultCode } from './sqlite-fault.js'

/** How long one call may wait for a lock, in milliseconds. It blocks the event loop, so longer waits use timers. */
const busyTimeout = 10

/** An open database with settings that give the guarantee. */
export interface Opened {
  readonly database: SqliteDatabase
  /** Such as `sqlite 3.51.3`. */
  readonly version: string
}

/**
 * Opens a path, or takes an open handle; sets the pragmas that the guarantee needs, reads them back, and creates the
 * tables. Throws `ConfigurationError` if the guarantee cannot be kept, and any other error of the driver
 * unchanged.
 */
export function open(source: string | SqliteDatabase): Opened {
  const database = typeof source === 'string' ? openPath(source) : source
  try {
    const version = settle(database)
    migrate(database)
    return { database, version }
  } catch (error) {
    if (database !== source) {
      database.close()
    }
    throw explain(error, source)
  }
}

function openPath(path: string): SqliteDatabase {
  refuseOtherFolder(path)
  const driver = findDriver()
  createPrivate(path)
  try {
    return new driver.Database(path)
  } catch (cause) {
    if (!doesLoad(driver)) {
      throw notLoaded(driver.name, cause)
    }
    // libsql gives no result code here.
    throw new ConfigurationError('store_unsupported', reasons[cannotOpen]?.(nameOf(path)) as string, {
      cause,
    })
  }
}

/** An empty path and `:memory:` name no file. The driver reads a URL. */
const isPath = (path: string) => path !== '' && !/^(?:file:|:memory:$)/.test(path)

/**
 * Creates a missing file so that only this user may read it, because it holds the bodies of customers. SQLite gives the files that
 * it adds the same permissions. Never opens a file that exists: to close it would end the locks that this process has on it.
 */
function createPrivate(path: string): void {
  try {
    isPath(path) && closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // It exists, or the driver says why it cannot be created.
  }
}

/** In another folder, an operator would get a new and empty inbox. `webhook-inbox inbox` sets this variable. */
function refuseOtherFolder(path: string): void {
  if (process.env.WEBHOOK_INBOX_CLI && isPath(path) && !isAbsolute(path) && !existsSync(path)) {
    throw unsupported(
      `${resolve(path)} does not exist; run the command in the folder where your program runs, or give sqliteStore an absolute path`,
    )
  }
}

/** Sets the pragmas and reads them back. Returns the version of SQLite. */
function settle(database: SqliteDatabase): string {
  const ask = (sql: string): unknown => {
    const rows: unknown = database.prepare(sql).all()
    if (!Array.isArray(rows)) {
      throw unsupported('the handle answers asynchronously; pass a synchronous one')
    }
    return Object.values((rows[0] as object | undefined) ?? {})[0]
  }

  const version = `sqlite ${ask('SELECT sqlite_version()')}`
  ask(`PRAGMA busy_timeout = ${busyTimeout}`)
  const mode = ask('PRAGMA journal_mode = WAL')
  if (mode === 'memory') {
    throw new ConfigurationError(
      'store_volatile',
      'an in-memory database is gone with the process; pass a file',
    )
  }
  if (mode !== 'wal') {
    throw unsupported(`journal_mode is ${mode} and cannot be set to WAL`)
  }
  database.exec('PRAGMA synchronous = FULL')
  const synchronous = Number(ask('PRAGMA synchronous'))
  if (!(synchronous >= 2)) {
    throw new ConfigurationError(
      'store_volatile',
      `synchronous is ${synchronous} and cannot be set to FULL, so a commit may be lost with the host’s power`,
    )
  }
  return version
}

const unsupported = (message: string) => new ConfigurationError('store_unsupported', message)

function explain(error: unknown, source: string | SqliteDatabase): unknown {
  const reason = reasons[resultCode(error) ?? 0]?.(nameOf(source))
  if (!reason) {
    return error
  }
  return new ConfigurationError('store_unsupported', reason, { cause: error })
}

/** An absolute path, because a relative one depends on where the program runs. A handle does not say its file. */
const nameOf = (source: string | SqliteDatabase): string =>
  typeof source !== 'string'
    ? 'the file'
    : `the file ${source.startsWith('file:') ? source : resolve(source)}`

const reasons: Readonly<Record<number, (file: string) => string>> = {
  [readOnly]: (file) => `${file} is read-only`,
  [cannotOpen]: (file) =>
    `${file} cannot be opened: does its directory exist, and may this process write to it?`,
  [notADatabase]: (file) => `${file} is not an SQLite database, or it is encrypted`,
}
