import type { InboxState } from '../../src/store/inbox-event.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { newEvent, type postgresRig } from './postgres-rig.js'

/** How many events of the state there are that the statistics do not know. */
export const many = 3000

const insert = (schema: string, state: InboxState, first: number) => `
INSERT INTO ${schema}.events
  (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued, due_at, done_at, keep_until, resource, failure_group)
SELECT 'k' || i, 'default', 'k' || i, 'a.b', 'now', 'h', 'body', '${state}', 0, i % 2 = 0,
  CASE WHEN '${state}' IN ('accepted', 'failed') THEN now() END, CASE WHEN '${state}' = 'done' THEN now() END,
  CASE WHEN '${state}' = 'done' THEN now() + interval '1 day' END, CASE WHEN '${state}' IN ('accepted', 'failed') THEN 'r' || i END,
  CASE WHEN '${state}' IN ('failed', 'dead') THEN CASE i % 1000 WHEN 0 THEN 'default:rare' ELSE 'default:g' END END
FROM generate_series(${first}, ${first + many - 1}) AS i`

/** Opens such a store once for each state, for tests that change few events. */
export function surprisedStores(rig: ReturnType<typeof postgresRig>) {
  const stores = new Map<InboxState, ReturnType<typeof surprised>>()
  return (state: InboxState) => {
    const store = stores.get(state) ?? surprised(rig, state)
    stores.set(state, store)
    return store
  }
}

/** A store whose statistics know no event in this state, while it has many. Later statistics come after minutes. */
export async function surprised(
  rig: ReturnType<typeof postgresRig>,
  state: InboxState,
  schema = `surprised_${state}`,
) {
  const pool = rig.pool({ max: 1, idleTimeoutMillis: 0 })
  await migratePostgres(pool, { schema })
  await pool.query(`ALTER TABLE ${schema}.events SET (autovacuum_enabled = off)`)
  await pool.query(insert(schema, state === 'done' ? 'dead' : 'done', 1))
  await pool.query(`VACUUM ANALYZE ${schema}.events`)
  await pool.query(insert(schema, state, many + 1))
  const event = (n: number) => newEvent({}, { key: `k${many + n}`, id: `k${many + n}`, contentHash: 'h' })

  async function entriesRead() {
    const rows = await rig.sql(
      `SELECT indexrelname AS name, idx_tup_read::int AS entries FROM pg_stat_user_indexes WHERE schemaname = $1
       UNION ALL SELECT relname, seq_tup_read::int FROM pg_stat_user_tables WHERE schemaname = $1`,
      [schema],
    )
    return new Map(rows.map(({ name, entries }) => [name, entries] as const))
  }

  return {
    store: postgresStore({ pool, schema }),
    event,
    /** The work read too much of these indexes and tables. */
    async readWhole(work: () => Promise<unknown>): Promise<string[]> {
      await pool.query('SELECT pg_stat_force_next_flush()')
      const before = await entriesRead()
      await work()
      await pool.query('SELECT pg_stat_force_next_flush()')
      const after = await entriesRead()
      return [...after].flatMap(([name, entries]) =>
        entries - (before.get(name) ?? 0) >= many / 2 ? [name] : [],
      )
    },
  }
}
