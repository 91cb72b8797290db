import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import type { Durations, EventRef } from '../../src/store/event-ref.js'
import type { Store } from '../../src/store/store.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'

/** A server for the tests of one file, with the tables of the store and one for the handlers. */
export function postgresRig() {
  let server: PostgresServer | undefined
  const pools: pg.Pool[] = []

  /** Without an `error` listener: a store must work without one. */
  function pool(options: pg.PoolConfig = {}): pg.Pool {
    // Many pools stay open until the end, and their idle clients would use up the connections of the server.
    const made = new pg.Pool({ connectionString: rig.url, max: 5, idleTimeoutMillis: 500, ...options })
    pools.push(made)
    return made
  }

  const rig = {
    get server() {
      if (!server) {
        throw new Error('the server is not up yet')
      }
      return server
    },
    get url() {
      return rig.server.url
    },
    pool,
    store: (options: pg.PoolConfig = {}) => postgresStore({ pool: pool(options) }),

    /** Runs SQL on a separate connection. */
    async sql(text: string, values?: unknown[]): Promise<pg.QueryResult['rows']> {
      const client = new pg.Client({ connectionString: rig.url })
      client.on('error', () => {})
      await client.connect()
      try {
        return (await client.query(text, values)).rows
      } finally {
        await client.end().catch(() => {})
      }
    },

    /** Returns the number of effects of an event. */
    async effects(event: EventRef): Promise<number> {
      const [row] = await rig.sql('SELECT count(*)::int AS count FROM effects WHERE key = $1', [event.key])
      return row.count
    },
  }

  beforeAll(async () => {
    server = await startPostgres()
    const admin = new pg.Pool({ connectionString: rig.url })
    await migratePostgres(admin)
    await admin.end()
    await rig.sql('CREATE TABLE effects (key text NOT NULL)')
  })
  afterAll(async () => {
    await Promise.all(pools.map((each) => each.end()))
    await server?.close()
  })
  return rig
}

/** Writes one effect through the transaction, as a handler does. */
export const effect = (tx: pg.PoolClient, event: EventRef) =>
  tx.query('INSERT INTO effects VALUES ($1)', [event.key])

export function newEvent(durations: Partial<Durations> = {}, over: Partial<EventRef> = {}): EventRef {
  const hex = () => randomBytes(32).toString('hex')
  return {
    key: hex(),
    contentHash: hex(),
    durations: {
      leaseSeconds: 60,
      retentionSeconds: 90 * 86_400,
      workSeconds: 10,
      waitSeconds: 2,
      ...durations,
    },
    endpoint: 'default',
    id: `evt_${hex().slice(0, 16)}`,
    type: 'transfer.settled',
    createdAt: '2026-01-02T03:04:05Z',
    body: new TextEncoder().encode('{}'),
    ...over,
  }
}

/** Work that the test ends. */
export function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Starts to process an event. Resolves when the work has begun. `end` ends it and resolves to the outcome. */
export async function inHand(store: Pick<Store<pg.PoolClient>, 'once'>, event: EventRef) {
  const [begun, end] = [gate(), gate()]
  const run = store.once(event, async () => {
    begun.open()
    await end.opened
  })
  await begun.opened
  return () => {
    end.open()
    return run
  }
}
