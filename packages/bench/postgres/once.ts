import type pg from 'pg'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { inTransaction } from '../../../test/servers/in-transaction.js'
import type { PostgresServer } from '../../../test/servers/postgres.js'
import { compare } from '../harness/compare.js'
import { atOnce } from '../harness/lanes.js'
import { timingsWithCpu } from '../harness/table.js'
import { newDatabase, newEvent } from './server.js'

/** A careful program written by hand. It keeps no body, records no failure and has no time limit. */
function byHand(pool: pg.Pool): Promise<void> {
  const { key } = newEvent()
  return inTransaction(pool, async (client) => {
    const seen = await client.query('INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING', [key])
    if (seen.rowCount === 1) {
      await client.query('INSERT INTO effects VALUES ($1)', [key])
    }
  })
}

/** The same, and it keeps the event and its body in a table like the store's. */
function byHandWithBody(pool: pg.Pool): Promise<void> {
  const { key, id, type, createdAt, body } = newEvent()
  return inTransaction(pool, async (client) => {
    const seen = await client.query(
      'INSERT INTO kept (key, id, type, created_at, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
      [key, id, type, createdAt, body],
    )
    if (seen.rowCount === 1) {
      await client.query('INSERT INTO effects VALUES ($1)', [key])
    }
  })
}

export async function benchOnce(server: PostgresServer, rounds: number): Promise<void> {
  for (const concurrency of [1, 10, 50]) {
    const pool = await newDatabase(server, concurrency)
    await pool.query(`CREATE TABLE seen (id text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
      CREATE TABLE kept (key text PRIMARY KEY, id text NOT NULL, type text NOT NULL, created_at text NOT NULL,
        body bytea NOT NULL, at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX ON kept (at)`)
    const store = postgresStore({ pool })
    const ours = () => {
      const event = newEvent()
      return store.once(event, ({ tx }) => tx.query('INSERT INTO effects VALUES ($1)', [event.key]))
    }
    timingsWithCpu(
      `once at ${concurrency}`,
      await compare(
        [
          atOnce(concurrency, 'by hand: BEGIN, dedupe, effect, COMMIT', () => byHand(pool)),
          atOnce(concurrency, 'by hand, event and body kept', () => byHandWithBody(pool)),
          atOnce(concurrency, 'postgresStore.once', ours),
        ],
        { rounds, turnMilliseconds: 150 },
      ),
    )
    await pool.end()
  }
}
