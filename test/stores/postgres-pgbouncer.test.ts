import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import type { EventRef } from '../../src/store/event-ref.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { inboxSuite } from '../../src/testing/inbox-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'
import { startCommitCutter } from '../servers/commit-cutter.js'
import { type PgBouncer, startPgBouncer } from '../servers/pgbouncer.js'
import { effect, newEvent, postgresRig } from './postgres-rig.js'

const bouncers: PgBouncer[] = []
// Register this hook first, because hooks run in reverse order and those of the rig end the pools.
afterAll(() => Promise.all(bouncers.map((bouncer) => bouncer.close())))
const rig = postgresRig()

async function newBouncer(
  config?: Readonly<Record<string, string>>,
  server: Parameters<typeof startPgBouncer>[0] = rig.server,
) {
  const bouncer = await startPgBouncer(server, config)
  bouncers.push(bouncer)
  return bouncer
}

let shared: PgBouncer
beforeAll(async () => {
  shared = await newBouncer()
  await rig.sql('CREATE TABLE words (word text PRIMARY KEY)')
})

/** Returns a separate store, as another process has one. */
const makeStore = ({ url } = shared) => postgresStore({ pool: rig.pool({ connectionString: url, max: 10 }) })

const mustNotRun = async () => {
  throw new Error('it ran a second time')
}

/** The laws of the same store run in postgres.test.ts without PgBouncer. What differs with it is tested below. */
const inFull = process.env.LONG ? '' : ' (skipped: the laws again; runs with LONG=1)'

describe.skipIf(inFull)(`the store behind PgBouncer${inFull}`, () => {
  storeSuite(test, () => makeStore(), {
    skip: [
      {
        reason: 'an attempt that is cut off is rolled back and leaves no trace, so it is not counted',
        tests: ['an event whose holder died is free when its lease expires, not earlier'],
      },
    ],
  })
})

describe.skipIf(inFull)(`the inbox behind PgBouncer${inFull}`, () => {
  inboxSuite(test, () => makeStore(), {
    write: (tx, word) => tx.query('INSERT INTO words VALUES ($1)', [word]),
    written: async () => (await rig.sql('SELECT word FROM words')).map(({ word }) => word),
  })
})

describe('eight processes that share three connections', () => {
  const stores = () => Array.from({ length: 8 }, () => makeStore())
  const events = (count: number) => Array.from({ length: count }, () => newEvent({ waitSeconds: 10 }))

  test('run each event once when all of them get it', async () => {
    const all = events(25)
    const run = (store: ReturnType<typeof makeStore>, event: EventRef) =>
      store.once(event, ({ tx }) => effect(tx, event))
    const outcomes = await Promise.all(
      stores().map((store) => Promise.all(all.map((event) => run(store, event)))),
    )
    for (const [i, event] of all.entries()) {
      const states = outcomes.map((each) => each[i]?.state).sort()
      expect(states).toEqual(['done', ...Array(7).fill('duplicate')])
      expect(await rig.effects(event)).toBe(1)
    }
  })

  test('accept each event once when all of them get it', async () => {
    const all = events(100)
    const outcomes = await Promise.all(
      stores().map(({ inbox }) => Promise.all(all.map((event) => inbox.accept(event)))),
    )
    for (const i of all.keys()) {
      const states = outcomes.map((each) => each[i]?.state).sort()
      expect(states).toEqual(['accepted', ...Array(7).fill('duplicate')])
    }
  })

  test('leave no session state on the connections', async () => {
    const busy = stores().flatMap((store) => {
      const event = newEvent({}, { resource: 'wallet' })
      const run = () => store.once(event, ({ tx }) => effect(tx, event))
      return [store.inbox.accept(event).then(run), store.once(newEvent(), mustNotRun).catch(() => {})]
    })
    await Promise.all(busy)
    const pool = rig.pool({ connectionString: shared.url, max: 3 })
    const clients = await Promise.all([1, 2, 3].map(() => pool.connect()))
    await Promise.all(clients.map((client) => client.query('BEGIN')))
    const found = await Promise.all(clients.map((client) => client.query(left)))
    expect(new Set(found.map(({ rows }) => rows[0].pid)).size).toBe(3)
    for (const { rows } of found) {
      expect(rows).toEqual([{ pid: rows[0].pid, lock: '0', idle: '0', jit: 'on', locks: 0, tables: 0 }])
    }
    await Promise.all(clients.map((client) => client.query('COMMIT')))
    for (const client of clients) {
      client.release()
    }
  })

  const left = `SELECT pg_backend_pid() AS pid, current_setting('lock_timeout') AS lock, current_setting('jit') AS jit,
    current_setting('idle_in_transaction_session_timeout') AS idle,
    (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
    (SELECT count(*)::int FROM pg_class WHERE relpersistence = 't') AS tables`
})

test('tables can be created and checked through PgBouncer', async () => {
  const pools = [1, 2, 3].map(() => rig.pool({ connectionString: shared.url }))
  const versions = await Promise.all(pools.map((pool) => migratePostgres(pool, { schema: 'through' })))
  expect(new Set(versions).size).toBe(1)
  const store = postgresStore({ pool: pools[0] as pg.Pool, schema: 'through' })
  expect(await store.check()).toMatchObject({
    store: expect.stringMatching(/^postgres /),
    processCrash: 'yes',
  })
})

describe('a PgBouncer', () => {
  test('that dies loses only uncommitted work, and the same pool reconnects', async () => {
    const bouncer = await newBouncer()
    const store = makeStore(bouncer)
    const event = newEvent()
    const lost = store.once(event, async ({ tx, signal }) => {
      await effect(tx, event)
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
      await bouncer.kill()
      await aborted
    })
    await expect(lost).rejects.toThrow(StoreError)
    await bouncer.start()
    const again = await store.once(event, ({ tx }) => effect(tx, event))
    expect(again).toMatchObject({ state: 'done', attempt: 1 })
    expect(await rig.effects(event)).toBe(1)
  })

  test('that loses its server instead of the reply to COMMIT: not acknowledged, then a duplicate', async () => {
    const cutter = await startCommitCutter(rig.server.port)
    try {
      const url = rig.url.replace(`:${rig.server.port}`, `:${cutter.port}`)
      const store = makeStore(await newBouncer({}, { port: cutter.port, url }))
      const event = newEvent()
      cutter.arm('once')
      await expect(store.once(event, ({ tx }) => effect(tx, event))).rejects.toThrow(StoreError)
      expect(cutter.cuts()).toBe(1)
      cutter.arm(false)
      expect((await store.once(event, mustNotRun)).state).toBe('duplicate')
      expect(await rig.effects(event)).toBe(1)
    } finally {
      await cutter.close()
    }
  })

  test('without a free connection rejects a whole batch, and accepts it later', async () => {
    const { store, occupy } = await withOneConnection()
    const release = await occupy()
    const events = Array.from({ length: 20 }, () => newEvent())
    const refused = await Promise.allSettled(events.map((event) => store.inbox.accept(event)))
    await release()
    const told = new Set(refused.map((each) => each.status === 'rejected' && String(each.reason)))
    expect([...told]).toEqual([expect.stringMatching(/query_wait_timeout.*pooler/)])
    const outcomes = await Promise.all(events.map((event) => store.inbox.accept(event)))
    expect(new Set(outcomes)).toEqual(new Set([{ state: 'accepted' }]))
  })

  test('without a free connection: a delivery that waits for the same client gets another', async () => {
    const { store, occupy } = await withOneConnection()
    const release = await occupy()
    const first = store.inbox.read('a key')
    const next = store.inbox.read('a key').catch((error: unknown) => error)
    await first.catch(() => {})
    await release()
    await expect(first).rejects.toThrow(/query_wait_timeout/)
    expect(await next).toBeUndefined()
  })

  async function withOneConnection() {
    const bouncer = await newBouncer({ default_pool_size: '1', query_wait_timeout: '2' })
    const pool = rig.pool({ connectionString: bouncer.url })
    return {
      store: postgresStore({ pool: rig.pool({ connectionString: bouncer.url, max: 1 }) }),
      /** Occupies the connection. Resolves to a function that frees it. */
      async occupy() {
        const client = await pool.connect()
        onTestFinished(() => client.release())
        await client.query('BEGIN')
        return () => client.query('COMMIT')
      },
    }
  }

  test('that rejects a setting of the pool is named in the error', async () => {
    const pool = rig.pool({ connectionString: shared.url, statement_timeout: 1000 })
    await expect(postgresStore({ pool }).check()).rejects.toThrow(/statement_timeout.*pooler/)
  })
})
