import { ConfigurationError } from '../../errors.js'
import type { PgPool } from './pg-client.js'

/** The version of the tables that this program was written for. */
export const schemaVersion = 3

export const defaultSchema = 'webhook_inbox'

/** A name as SQL quotes it. Throws `ConfigurationError` `invalid_option` for one that is no plain name. */
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
  /** The version of the tables that it leads to. */
  readonly version: number
  /** What to run, in one transaction. Running it again changes nothing. */
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
  return [
    { version: 1, sql: first(quoted) },
    { version: 2, sql: resources(quoted) },
    { version: 3, sql: discards(quoted) },
  ]
}

/**
 * Creates the tables of {@link postgresStore}, or upgrades them to this version. Run it when you deploy, before the
 * program starts. Resolves to the version. It may run repeatedly and concurrently, and does not change tables of a
 * newer version. `pool` needs a role that may create them.
 *
 * @example
 * await migratePostgres(pool)
 */
export async function migratePostgres(
  pool: PgPool,
  { schema = defaultSchema }: { readonly schema?: string } = {},
): Promise<number> {
  const migrations = postgresMigrations(schema)
  const client = await pool.connect()
  const ignore = () => {}
  client.on('error', ignore)
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${migrationLock})`)
    const version = await readVersion(client, quoteSchema(schema))
    for (const migration of migrations) {
      if (migration.version > version) {
        await client.query(migration.sql)
      }
    }
    await client.query('COMMIT')
    client.off('error', ignore)
    client.release()
    return Math.max(version, schemaVersion)
  } catch (error) {
    // What it has locked and begun ends with the connection.
    client.release(true)
    throw error
  }
}

/** Any number, as long as every migrator uses the same one. */
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

/**
 * `key` is compared byte by byte: an index under a language’s collation breaks when the operating system changes it.
 * An event due has `due_at`; a queue knows of it where it is `queued`. `oldest_program` is the oldest version whose
 * programs may still work on the tables, so that a rolling deploy can migrate first.
 */
const first = (schema: string) => `
CREATE SCHEMA IF NOT EXISTS ${schema};

CREATE TABLE IF NOT EXISTS ${schema}.migrations (
  version        integer PRIMARY KEY,
  oldest_program integer NOT NULL,
  applied_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS ${schema}.events (
  key          text COLLATE "C" PRIMARY KEY,
  seq          bigint GENERATED ALWAYS AS IDENTITY,
  endpoint     text NOT NULL,
  id           text NOT NULL,
  type         text NOT NULL,
  created_at   text NOT NULL,
  content_hash text NOT NULL,
  body         bytea NOT NULL,
  state        text COLLATE "C" NOT NULL CHECK (state IN ('accepted', 'failed', 'done', 'dead')),
  attempt      integer NOT NULL,
  failures     integer NOT NULL DEFAULT 0,
  generation   integer NOT NULL DEFAULT 0,
  queued       boolean NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT now(),
  due_at       timestamptz,
  done_at      timestamptz,
  keep_until   timestamptz,
  last_error   text
);
CREATE INDEX IF NOT EXISTS events_by_state ON ${schema}.events (state, received_at, seq);
CREATE INDEX IF NOT EXISTS events_due ON ${schema}.events (endpoint, due_at, seq)
  WHERE state IN ('accepted', 'failed');

CREATE TABLE IF NOT EXISTS ${schema}.replays (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key        text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  reason     text NOT NULL,
  actor      text NOT NULL,
  at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS replays_by_key ON ${schema}.replays (key, generation);

CREATE TABLE IF NOT EXISTS ${schema}.quarantine (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint     text NOT NULL,
  content_hash text NOT NULL,
  code         text NOT NULL,
  event_id     text,
  body         bytea NOT NULL,
  deliveries   integer NOT NULL DEFAULT 1,
  received_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (endpoint, content_hash)
);

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (1, 1) ON CONFLICT DO NOTHING;
`

/** A resource may be longer than an index entry, so its hash is indexed. */
const resources = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS resource text COLLATE "C";
CREATE INDEX IF NOT EXISTS events_by_resource ON ${schema}.events (hashtextextended(resource, 0), seq)
  WHERE resource IS NOT NULL AND state IN ('accepted', 'failed');

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (2, 1) ON CONFLICT DO NOTHING;
`

/**
 * `scheduled_at` is when the `due_at` of a failed event was set. A time in the future means that the clock was ahead then,
 * and `due_at` is not to be trusted. `discards` keeps who deleted a quarantined delivery or a dead event, and why; its
 * `code` is the code or the last error.
 */
const discards = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS scheduled_at timestamptz;
CREATE INDEX IF NOT EXISTS events_accepted ON ${schema}.events (endpoint, due_at, seq) WHERE state = 'accepted';
CREATE INDEX IF NOT EXISTS events_failed ON ${schema}.events (endpoint, due_at, seq) WHERE state = 'failed';
CREATE INDEX IF NOT EXISTS events_scheduled ON ${schema}.events (scheduled_at) WHERE state = 'failed';
DROP INDEX IF EXISTS ${schema}.events_due;

CREATE INDEX IF NOT EXISTS quarantine_by_time ON ${schema}.quarantine (received_at);

CREATE TABLE IF NOT EXISTS ${schema}.discards (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key          text NOT NULL,
  event_id     text,
  code         text,
  content_hash text NOT NULL,
  reason       text NOT NULL,
  actor        text NOT NULL,
  at           timestamptz NOT NULL DEFAULT now()
);

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (3, 1) ON CONFLICT DO NOTHING;
`
