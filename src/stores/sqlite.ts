import { ConfigurationError, invalidOption } from '../errors.js'
import { type Filled, givenOptions, hasMethods } from '../given-options.js'
import { checkedInbox } from '../store/checked-inbox.js'
import { leaseStore } from '../store/lease.js'
import { defaultMaxQuarantined } from '../store/quarantined-delivery.js'
import type { Store, StoreGuarantee } from '../store/store.js'
import { Connection } from './sqlite/connection/connection.js'
import type { SqliteDatabase } from './sqlite/connection/sqlite-database.js'
import type { SqliteTx } from './sqlite/connection/tx.js'
import { sqliteLeases } from './sqlite/events/sqlite-leases.js'
import { sqliteInbox } from './sqlite/sqlite-inbox.js'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite/connection/sqlite-database.js'
export type { SqliteTx } from './sqlite/connection/tx.js'

export interface SqliteStoreOptions {
  /** How long a write waits while another process writes. Does not block the event loop. Default 2 s. */
  readonly busySeconds?: number | undefined
  /** How many deliveries the quarantine keeps for each endpoint; more are not quarantined. Default 10 000. */
  readonly maxQuarantined?: number | undefined
}

/**
 * Keeps events in one SQLite file, for the processes of one host. A delivery is answered after its commit is synced to the
 * disk. Deliveries that arrive together share one commit.
 *
 * `source` is a path or an open handle. A path is opened with `node:sqlite` (Node 22.13 and later), otherwise with an
 * installed better-sqlite3 or libsql. You close an open handle yourself, and only the store should use it: the store
 * sets WAL, synchronous=FULL and a short busy_timeout. A process must not open one file with two of these libraries,
 * because each releases the locks of the other (sqlite.org/howtocorrupt.html, 2.2). Missing tables, named
 * `webhook_inbox_...`, are created.
 *
 * The store copies its commits from the log into the file (`wal_checkpoint`) after every few commits, when no delivery waits,
 * unless `wal_autocheckpoint` is 0. `prune` does it after each of its steps, and pauses between them.
 *
 * Handlers get `tx.write(run)`. The synchronous writes of `run` commit together with the done mark.
 *
 * `check` rejects with `ConfigurationError` if the file or the driver cannot give the guarantee (`store_volatile`,
 * `store_unsupported`). Every other fault is a `StoreError`. Throws `ConfigurationError` (`invalid_option`,
 * `unknown_option`).
 *
 * @example
 * const receiver = createReceiver({ secret, store: sqliteStore('inbox.sqlite'), handlers })
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
    if (hasMethods('the database', source, method)) {
      continue
    }
    throw invalidOption(`the first argument is neither a path nor an open database: it has no ${method}()`)
  }
  return source
}

function resolveOptions(options: SqliteStoreOptions): Filled<SqliteStoreOptions> {
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

/** The first release without the race of sqlite.org/wal.html#walresetbug. */
const safeForSeveral = 'sqlite 3.51.3'

function guaranteeOf(version: string): StoreGuarantee {
  const isSafe = version.localeCompare(safeForSeveral, 'en', { numeric: true }) >= 0
  const caveat =
    'SQLite before 3.51.3 can lose a commit if several processes open the file, and the command line is one; fix: a newer SQLite; see node_modules/webhook-inbox/docs/stores.md#sqlite'
  return {
    store: version,
    scope: 'every process on this host that opens the same file',
    processCrash: 'yes',
    hostCrash: 'yes, because every commit is synced to the disk (WAL, synchronous=FULL)',
    runs: 'once for what it writes through tx.write; for anything else once, unless its process dies or it outlives its lease',
    notes: ['the file must be on a local disk: SQLite cannot share a WAL over a network'],
    warnings: isSafe ? [] : [caveat],
  }
}
