import { ConfigurationError, invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import { checkedInbox } from '../store/checked-inbox.js'
import { leaseStore } from '../store/lease.js'
import { defaultMaxQuarantined } from '../store/quarantined-delivery.js'
import type { Store, StoreGuarantee } from '../store/store.js'
import { Connection } from './sqlite/connection.js'
import type { SqliteDatabase } from './sqlite/sqlite-database.js'
import { sqliteInbox } from './sqlite/sqlite-inbox.js'
import { sqliteLeases } from './sqlite/sqlite-leases.js'
import type { SqliteTx } from './sqlite/tx.js'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite/sqlite-database.js'
export type { SqliteTx } from './sqlite/tx.js'

export interface SqliteStoreOptions {
  /** How long a write waits, without holding up the event loop, while another process writes. Default 2 s. */
  readonly busySeconds?: number
  /** How many deliveries the quarantine keeps for each endpoint; more are not quarantined. Default 10 000. */
  readonly maxQuarantined?: number
}

/**
 * Keeps events in one SQLite file, for the processes of one host. A delivery is answered after its commit has been
 * synced to the disk; deliveries that arrive together share one commit.
 *
 * `source` is a path, opened with node:sqlite (Node 22.5 and later), else with better-sqlite3 or libsql, which the user
 * installs; or an open handle of any of the three, which stays the user’s and should be the store’s alone: it is set to
 * WAL, synchronous=FULL and a short busy_timeout. A process must not open one file with two of these libraries: each
 * undoes the other’s locks, as POSIX has it (sqlite.org/howtocorrupt.html, 2.2). Tables named `webhook_inbox_...` are created when they are missing.
 *
 * `prune` rests between its steps, and copies what each has changed from the log into the file (`wal_checkpoint`) unless
 * `wal_autocheckpoint` is 0.
 *
 * Handlers get `tx.write(run)`: what `run` writes, synchronously, commits together with the mark “done”.
 *
 * `check` rejects with `ConfigurationError` where the file or the driver cannot keep the promise (`store_volatile`,
 * `store_unsupported`); every other fault is a `StoreError`. Throws `ConfigurationError` (`invalid_option`,
 * `unknown_option`).
 */
export function sqliteStore<Database extends SqliteDatabase = SqliteDatabase>(
  source: string | Database,
  options: SqliteStoreOptions = {},
): Store<SqliteTx<Database>> & Required<Pick<Store<SqliteTx<Database>>, 'inbox'>> {
  const { busySeconds, maxQuarantined } = resolveOptions(options)
  const connection = new Connection(checkSource(source), busySeconds)
  const store = leaseStore({
    ...sqliteLeases(connection),
    check: async () => guaranteeOf(await connection.check()),
    close: async () => connection.close(),
  })
  return { ...store, inbox: checkedInbox(sqliteInbox(connection, maxQuarantined)) }
}

function checkSource<Database>(source: string | Database): string | Database {
  if (source === undefined || source === null) {
    throw invalidOption(
      `the first argument of sqliteStore is ${source}; likely cause: an environment variable that is not set; fix: pass the path of a file, or an open database`,
    )
  }
  if (typeof source === 'string') {
    if (source !== '' && source !== ':memory:') {
      return source
    }
    throw new ConfigurationError(
      'store_volatile',
      `'${source}' is gone with the process; pass the path of a file`,
    )
  }
  for (const method of ['exec', 'prepare', 'close'] as const) {
    if (typeof (source as Partial<SqliteDatabase> | undefined)?.[method] === 'function') {
      continue
    }
    throw invalidOption(`the first argument is neither a path nor an open database: it has no ${method}()`)
  }
  return source
}

function resolveOptions(options: SqliteStoreOptions): Required<SqliteStoreOptions> {
  givenOptions('sqliteStore', options, ['busySeconds', 'maxQuarantined'])
  const { busySeconds = 2, maxQuarantined = defaultMaxQuarantined } = options
  if (!(busySeconds >= 0 && Number.isFinite(busySeconds))) {
    throw invalidOption('busySeconds must be zero or more seconds')
  }
  if (!Number.isSafeInteger(maxQuarantined) || maxQuarantined < 1) {
    throw invalidOption('maxQuarantined must be a positive whole number')
  }
  return { busySeconds, maxQuarantined }
}

function guaranteeOf(version: string): StoreGuarantee {
  return {
    store: version,
    scope: 'every process on this host that opens the same file',
    processCrash: 'yes',
    hostCrash: 'yes, because every commit is synced to the disk (WAL, synchronous=FULL)',
    runs: 'once for what it writes through tx.write; for anything else once, unless its process dies or it outlives its lease',
    notes: ['the file must be on a local disk: SQLite cannot share a WAL over a network'],
  }
}
