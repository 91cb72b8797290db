import type { Pool, PoolClient } from 'pg'
import type { ResourceStates } from '../../src/ordering/ordered.js'
import type { SqliteDatabase } from '../../src/stores/sqlite.js'

/** States in a SQLite table, on the user’s handle. */
export function sqliteStates(database: SqliteDatabase) {
  database.exec(`
    CREATE TABLE IF NOT EXISTS transfer_states (
      resource TEXT PRIMARY KEY, state TEXT NOT NULL, event_id TEXT NOT NULL, disputed INTEGER NOT NULL DEFAULT 0)`)
  const advance = database.prepare(`
    INSERT INTO transfer_states (resource, state, event_id) VALUES (?, ?, ?) ON CONFLICT (resource) DO UPDATE
    SET state = excluded.state, event_id = excluded.event_id
    WHERE transfer_states.state IN (SELECT value FROM json_each(?))
    OR (transfer_states.state, transfer_states.event_id) = (excluded.state, excluded.event_id)`)
  const select = database.prepare('SELECT state, disputed FROM transfer_states WHERE resource = ?')
  const find = (resource: string) =>
    select.all(resource)[0] as { state: string; disputed: number } | undefined
  const dispute = database.prepare('UPDATE transfer_states SET disputed = 1 WHERE resource = ?')
  const states: ResourceStates = {
    advance: ({ resource, to, from, eventId }) =>
      Number(advance.run(resource, to, eventId, JSON.stringify(from)).changes) > 0,
    current: (resource) => find(resource)?.state,
  }
  return { states, find, dispute: (resource: string) => void dispute.run(resource) }
}

/** States in a Postgres table, written in the store’s transaction. */
export async function postgresStates(pool: Pool) {
  await pool.query(`
    CREATE TABLE IF NOT EXISTS transfer_states (
      resource text PRIMARY KEY, state text NOT NULL, event_id text NOT NULL, disputed boolean NOT NULL DEFAULT false)`)
  const states: ResourceStates<Pick<PoolClient, 'query'>> = {
    async advance({ resource, to, from, eventId }, tx) {
      const { rowCount } = await tx.query(
        `INSERT INTO transfer_states (resource, state, event_id) VALUES ($1, $2, $3) ON CONFLICT (resource) DO UPDATE
         SET state = excluded.state, event_id = excluded.event_id WHERE transfer_states.state = ANY($4)
         OR (transfer_states.state, transfer_states.event_id) = (excluded.state, excluded.event_id)`,
        [resource, to, eventId, from],
      )
      return rowCount === 1
    },
    async current(resource, tx) {
      const { rows } = await tx.query('SELECT state FROM transfer_states WHERE resource = $1', [resource])
      return rows[0]?.state
    },
  }
  return {
    states,
    async find(resource: string): Promise<{ state: string; disputed: boolean }> {
      const { rows } = await pool.query('SELECT state, disputed FROM transfer_states WHERE resource = $1', [
        resource,
      ])
      return rows[0]
    },
    async dispute(resource: string, tx: Pick<PoolClient, 'query'>) {
      await tx.query('UPDATE transfer_states SET disputed = true WHERE resource = $1', [resource])
    },
  }
}
