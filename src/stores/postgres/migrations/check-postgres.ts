import { ConfigurationError } from '../../../errors.js'
import type { StoreGuarantee } from '../../../store/store.js'
import { withFault } from '../connection/postgres-fault.js'
import type { Query, Row } from '../connection/transactions.js'
import { checkOwnership } from './check-ownership.js'
import { defaultSchema, quoteSchema, schemaVersion } from './postgres-migrations.js'

/** The oldest version that the Postgres project maintained when this store was written. */
const oldestServer = 13

interface Facts {
  readonly server: Row
  readonly tables: Row | undefined
}

/** The guarantee of Postgres with its current configuration. Throws `ConfigurationError` if that is not enough. */
export async function checkPostgres(
  query: Query,
  { schema, allowVolatile }: { readonly schema: string; readonly allowVolatile: boolean },
): Promise<StoreGuarantee> {
  const { server, tables } = await readFacts(query, schema)
  refuseServer(server)
  if (!tables) {
    throw notMigrated(`the schema ${schema} has no tables of this store`, schema)
  }
  if (tables.version < schemaVersion) {
    throw notMigrated(
      `the tables of the schema ${schema} are of version ${tables.version}, this program needs ${schemaVersion}`,
      schema,
    )
  }
  if (tables.oldest_program > schemaVersion) {
    throw new ConfigurationError(
      'store_unsupported',
      `the tables are of version ${tables.version}, too new for this program; deploy a newer one`,
    )
  }
  if (!tables.may_write) {
    throw new ConfigurationError(
      'store_unsupported',
      `the role may not write the tables; grant it USAGE on the schema ${schema} and SELECT, INSERT, UPDATE, DELETE on all its tables`,
    )
  }
  const ownership = await askOwnership(query, schema)
  const volatile = volatility(server, tables)
  if (volatile && !allowVolatile) {
    throw new ConfigurationError(
      'store_volatile',
      `${volatile}; acknowledged events would be lost in a crash. Fix it, or allow it with allowVolatile: true`,
    )
  }
  return {
    store: `postgres ${server.version}`,
    scope: 'every process on this database',
    processCrash: 'yes',
    hostCrash: hostCrash(server, volatile),
    runs: 'once for what it writes through tx: effect and mark commit together; what it does elsewhere can be repeated after a crash',
    notes: ownership,
    warnings:
      tables.version > schemaVersion
        ? [`the tables are of version ${tables.version}, newer than this program’s ${schemaVersion}`]
        : [],
  }
}

function refuseServer(server: Row): void {
  if (server.version_num < oldestServer * 10_000) {
    throw unsupported(`Postgres ${server.version}`, 'upgrade it')
  }
  if (server.standby) {
    throw unsupported('the server is a standby', 'connect the pool to the primary')
  }
  if (server.read_only === 'on') {
    throw unsupported('transactions are read-only', 'connect as a role that may write')
  }
  if (server.encoding !== 'UTF8') {
    throw unsupported(`the database’s encoding is ${server.encoding}`, 'use UTF8')
  }
}

const unsupported = (fact: string, fix: string) =>
  new ConfigurationError(
    'store_unsupported',
    `${fact}, and this store needs Postgres 13 or later to write to; ${fix}`,
  )

/** The advice names the schema, because without it `migratePostgres` creates the tables in the default schema. */
function notMigrated(fact: string, quoted: string): ConfigurationError {
  const name = quoted === quoteSchema(defaultSchema) ? '' : quoted.replaceAll('"', "'")
  const run = `migratePostgres(pool${name && `, { schema: ${name} }`})`
  return new ConfigurationError(
    'store_not_migrated',
    `${fact}; run ${run} or webhook-inbox inbox migrate before the program starts, or the SQL of postgresMigrations(${name})`,
  )
}

/** Why a crash would lose what was committed. */
function volatility(server: Row, tables: Row): string | undefined {
  if (server.fsync !== 'on') {
    return 'the server runs with fsync=off'
  }
  if (tables.persistence !== 'p') {
    return 'the table of events is unlogged, and a crash empties it'
  }
  return undefined
}

function hostCrash(server: Row, volatile: string | undefined): string {
  if (volatile) {
    return `no, because ${volatile}`
  }
  if (server.synchronous_commit === 'off') {
    // A commit that is not flushed immediately is flushed within three rounds of the WAL writer.
    const seconds = (3 * Number(server.wal_writer_delay)) / 1000
    return `up to ${seconds} s may be lost, because synchronous_commit=off`
  }
  const torn = server.full_page_writes === 'on' ? '' : ', unless a page is torn, because full_page_writes=off'
  return `yes, as far as its disk keeps what it has flushed${torn}`
}

const askOwnership = (query: Query, schema: string) =>
  withFault('be asked who owns the tables', () => checkOwnership(query, schema))

const readFacts = (query: Query, schema: string) =>
  withFault('be asked what it promises', async (): Promise<Facts> => {
    const [server] = await query(serverSql, [])
    const [{ exists }] = (await query(existsSql, [`${schema}.migrations`, `${schema}.events`])) as [Row]
    const [tables] = exists ? await query(tablesSql(schema), []) : []
    return { server: server as Row, tables }
  })

const serverSql = `
SELECT current_setting('server_version_num')::int AS version_num,
  split_part(current_setting('server_version'), ' ', 1) AS version,
  pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') AS read_only,
  current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit,
  (SELECT setting FROM pg_settings WHERE name = 'wal_writer_delay') AS wal_writer_delay`

const existsSql = 'SELECT to_regclass($1::text) IS NOT NULL AND to_regclass($2::text) IS NOT NULL AS exists'

const tablesSql = (schema: string) => `
SELECT coalesce(max(version), 0)::int AS version, coalesce(max(oldest_program), 0)::int AS oldest_program,
  (SELECT relpersistence::text FROM pg_class WHERE oid = '${schema}.events'::regclass) AS persistence,
  bool_and(has_table_privilege('${schema}.events', privilege)) AS may_write
FROM ${schema}.migrations, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege`
