import type { PgPool } from '../connection/pg-client.js'

type Client = Pick<Awaited<ReturnType<PgPool['connect']>>, 'query'>

/** A session that holds a lock on a table that the migration must change. */
export interface Blocker {
  /** Its process id, as `pg_terminate_backend` takes it. */
  readonly pid: number
  /** Its `application_name`. */
  readonly application: string
  /** What it runs, or ran last in its transaction; at most 200 characters. */
  readonly query: string
  /** How long its transaction has been open. */
  readonly seconds: number
}

/** SQLSTATE of a lock that was not free in time. */
const lockNotAvailable = '55P03'

/** How long one statement waits for a lock. While it waits, deliveries wait behind it. */
const lockMilliseconds = 200
/** How long to wait before the next try, in milliseconds. Deliveries use the tables in this time. */
const firstPause = 100
const longestPause = 2000

/**
 * Runs work in a transaction that waits only briefly for each lock. If a lock is not free, it rolls back, reports who holds
 * the tables, waits, and runs the work again. Rejects with the error of Postgres after `patienceSeconds`.
 */
export async function withLockLimits<T>(
  client: Client,
  schema: string,
  { onWait, patienceSeconds }: { onWait: (blockers: readonly Blocker[]) => void; patienceSeconds: number },
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = '${lockMilliseconds}ms'`)
      const value = await work()
      await client.query('COMMIT')
      return value
    } catch (error) {
      const isOver = performance.now() - startedAt > patienceSeconds * 1000
      if ((error as { code?: unknown }).code !== lockNotAvailable || isOver) {
        throw error
      }
      await client.query('ROLLBACK')
      onWait(await findBlockers(client, schema))
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** The sessions with locks on tables of the schema, or with the lock of a migration. The longest transaction first. */
async function findBlockers(client: Client, schema: string): Promise<Blocker[]> {
  const { rows } = await client.query(
    `SELECT DISTINCT a.pid, a.application_name AS application, left(a.query, 200) AS query,
      coalesce(extract(epoch FROM now() - a.xact_start), 0)::float8 AS seconds
    FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
    LEFT JOIN pg_class AS c ON c.oid = l.relation LEFT JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE l.granted AND l.pid <> pg_backend_pid() AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (quote_ident(n.nspname) = $1::text OR '"' || n.nspname || '"' = $1::text OR l.locktype = 'advisory')
    ORDER BY seconds DESC LIMIT 5`,
    [schema],
  )
  return rows
}

/** For the log. */
export const describeBlocker = ({ pid, application, query, seconds }: Blocker): string =>
  `${application || 'a session without a name'} (pid ${pid}, in its transaction for ${Math.round(seconds)} s): ${query}`
