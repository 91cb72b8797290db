import { ConfigurationError, invalidOption } from '../../../errors.js'
import { givenOptions } from '../../../given-options.js'
import { checkNoClient, type PgPool } from '../connection/pg-client.js'
import { type Blocker, describeBlocker, withLockLimits } from './lock-limits.js'
import { attemptsColumn } from './postgres-attempts-column.js'
import { auditStates } from './postgres-audit-states.js'
import { auditSubjects } from './postgres-audit-subjects.js'
import { auditsTable } from './postgres-audits-table.js'
import { bulkTables } from './postgres-bulk-tables.js'
import { changesColumns } from './postgres-changes-columns.js'
import { circuitTimes } from './postgres-circuit-times.js'
import { copiesIndex } from './postgres-copies-index.js'
import { deliveredColumn } from './postgres-delivered-column.js'
import { failureGroups } from './postgres-failure-groups.js'
import { discardsTable, firstTables, resourceColumn } from './postgres-first-tables.js'
import { flowTables } from './postgres-flow-tables.js'
import { planIndexes } from './postgres-plan-indexes.js'
import { restoredColumn } from './postgres-restored-column.js'
import { rhythm } from './postgres-rhythm.js'
import { traceContextColumn } from './postgres-trace-context.js'

/** The SQL from each version to the next. A published version is never edited. */
const migrations = [
  firstTables,
  resourceColumn,
  discardsTable,
  auditsTable,
  traceContextColumn,
  flowTables,
  failureGroups,
  bulkTables,
  planIndexes,
  rhythm,
  circuitTimes,
  attemptsColumn,
  copiesIndex,
  restoredColumn,
  auditSubjects,
  changesColumns,
  deliveredColumn,
  auditStates,
]

/** The version of the tables that this program was written for. */
export const schemaVersion = migrations.length

export const defaultSchema = 'webhook_inbox'

/** A name with SQL quotes. Throws `ConfigurationError` `invalid_option` if it is not a plain name. */
export function quoteSchema(schema: string): string {
  if (typeof schema === 'string' && /^[a-z_][a-z0-9_]{0,62}$/i.test(schema)) {
    return `"${schema}"`
  }
  throw new ConfigurationError(
    'invalid_option',
    'schema must be 1 to 63 letters, digits and underscores, beginning with no digit',
  )
}

export interface Migration {
  /** The version of the tables after this migration. */
  readonly version: number
  /** The SQL to run, in one transaction. Running it again changes nothing. */
  readonly sql: string
}

/**
 * Returns every migration, oldest first, to run SQL by hand or with your own tool. `schema` is the Postgres schema of the
 * tables. Default `webhook_inbox`. Throws `ConfigurationError` `invalid_option`.
 *
 * @example
 * for (const { version, sql } of postgresMigrations()) console.log(`-- ${version}\n${sql}`)
 */
export function postgresMigrations(schema = defaultSchema): readonly Migration[] {
  const quoted = quoteSchema(schema)
  return migrations.map((sql, i) => ({ version: i + 1, sql: sql(quoted) }))
}

/**
 * Creates the tables of {@link postgresStore}, or upgrades them to this version. Run it when you deploy, before the
 * program starts. Resolves to the version. It may run repeatedly and concurrently, and does not change tables of a
 * newer version. `pool` needs a role that may create them.
 *
 * It waits at most 200 ms for each lock, and pauses before it retries, so that deliveries can use the tables. While it
 * builds an index, deliveries wait. For large tables see docs/stores.md.
 *
 * @example
 * await migratePostgres(pool)
 */
export async function migratePostgres(pool: PgPool, options: MigrateOptions = {}): Promise<number> {
  const given: MigrateOptions = givenOptions('migratePostgres', options, [
    'schema',
    'onWait',
    'patienceSeconds',
  ])
  const { schema = defaultSchema, onWait = warn, patienceSeconds = 600 } = given
  const all = postgresMigrations(schema)
  const quoted = quoteSchema(schema)
  if (typeof pool?.connect !== 'function') {
    throw invalidOption('pool must have connect()')
  }
  checkNoClient(pool)
  if (typeof onWait !== 'function') {
    throw invalidOption('onWait must be a function')
  }
  // Without this it would wait forever with a value that is no number.
  if (!(patienceSeconds >= 0)) {
    throw invalidOption('patienceSeconds must be zero or more seconds')
  }
  const client = await pool.connect()
  const ignore = () => {}
  client.on('error', ignore)
  try {
    const version = await withLockLimits(client, quoted, { onWait, patienceSeconds }, async () => {
      await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`)
      const found = await readVersion(client, quoted)
      for (const migration of all) {
        if (migration.version > found) {
          await client.query(migration.sql)
        }
      }
      return found
    })
    client.off('error', ignore)
    client.release()
    return Math.max(version, schemaVersion)
  } catch (error) {
    // Its locks and its transaction end with the connection.
    client.release(true)
    throw error
  }
}

export interface MigrateOptions {
  /** The Postgres schema of the tables. Default `webhook_inbox`. */
  readonly schema?: string | undefined
  /**
   * Called each time a lock was not free, with the sessions that hold the tables. Default: `console.warn`, one line for
   * each.
   */
  readonly onWait?: ((blockers: readonly Blocker[]) => void) | undefined
  /** How long to try, in seconds. Then it rejects with the error of Postgres. Default 600 s. */
  readonly patienceSeconds?: number | undefined
}

function warn(blockers: readonly Blocker[]): void {
  for (const blocker of blockers) {
    console.warn(`webhook-inbox: migratePostgres waits for ${describeBlocker(blocker)}`)
  }
}

/** Any number. All migrators must use the same one. */
const migrationLock = 7_361_902_654

async function readVersion(client: Pick<PgClientLike, 'query'>, schema: string): Promise<number> {
  const name = `${schema}.migrations`
  const { rows: found } = await client.query('SELECT to_regclass($1::text)::text AS name', [name])
  if (found[0]?.name == null) {
    return 0
  }
  const { rows } = await client.query(`SELECT coalesce(max(version), 0)::int AS version FROM ${name}`)
  return rows[0].version
}

type PgClientLike = Awaited<ReturnType<PgPool['connect']>>
