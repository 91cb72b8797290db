import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { PipelinedQuery } from '../../src/stores/postgres/pipelining/pipelined-query.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { effect, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

/** A store on one connection, and the prepared statements of that connection. */
function onOneClient(options: pg.PoolConfig = {}) {
  const pool = rig.pool({ max: 1, ...options })
  const store = postgresStore({ pool })
  return {
    pool,
    store,
    async run() {
      const event = newEvent()
      const outcome = await store.once(event, ({ tx }) => effect(tx, event))
      return { state: outcome.state, effects: await rig.effects(event) }
    },
    async prepared() {
      const { rows } = await pool.query(
        `SELECT name, statement FROM pg_prepared_statements WHERE name LIKE 'webhook_inbox_%'`,
      )
      return rows as { name: string; statement: string }[]
    },
  }
}

const once = { state: 'done', effects: 1 }

test('a transaction leaves no timer behind, which would keep the process alive', async () => {
  const { run } = onOneClient()
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
  await run()
  const before = timers()
  for (let i = 0; i < 20; i++) {
    expect(await run()).toEqual(once)
  }
  expect(timers()).toBeLessThan(before + 10)
})

test.each([{}, { pipeline: true }])(
  'a transaction has limits and no compiled statements, on a pool with %o',
  async (options) => {
    const pool = rig.pool({ max: 1, ...options })
    const settings = `SELECT current_setting('jit') AS jit, current_setting('lock_timeout') AS lock,
    current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('statement_timeout') AS statement`
    const event = newEvent({ leaseSeconds: 7, workSeconds: 3 })
    const inside = await postgresStore({ pool }).once(
      event,
      async ({ tx }) => (await tx.query(settings)).rows,
    )
    expect(inside).toMatchObject({ value: [{ jit: 'off', lock: '7s', idle: '7s', statement: '7s' }] })
    const outside = { jit: 'on', lock: '0', idle: '0', statement: '0' }
    expect((await pool.query(settings)).rows).toEqual([outside])
  },
)

test.each([
  { given: 0, used: '7s' },
  { given: 300, used: '300ms' },
  { given: 90_000, used: '7s' },
])('a handler has statements of at most $used where the user allows $given ms', async ({ given, used }) => {
  const store = rig.store({ statement_timeout: given })
  const terms = { leaseSeconds: 7, workSeconds: 3 }
  const [unseen, failed, kept] = [newEvent(terms), newEvent(terms), { ...newEvent(terms), isKept: true }]
  await store.once(failed, () => Promise.reject(new Error('no'))).catch(() => {})
  await store.inbox?.accept(kept, async () => {})
  for (const event of [unseen, failed, kept]) {
    const inside = await store.once(event, async ({ tx }) => (await tx.query('SHOW statement_timeout')).rows)
    expect(inside).toMatchObject({ value: [{ statement_timeout: used }] })
  }
})

test('the transaction that accepts a known event has limits as well', async () => {
  const { inbox, once: run } = rig.store()
  const event = newEvent({ waitSeconds: 1, leaseSeconds: 7, workSeconds: 3 })
  await expect(run(event, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  let settings: unknown
  await inbox?.accept(event, async (tx) => {
    const { rows } = await tx.query(
      `SELECT current_setting('jit') AS jit, current_setting('lock_timeout') AS lock,
        current_setting('idle_in_transaction_session_timeout') AS idle`,
    )
    settings = rows
  })
  expect(settings).toEqual([{ jit: 'off', lock: '1s', idle: '7s' }])
})

test.each([{}, { pipeline: true }])(
  'its limits apply to a lock on the table, on a pool with %o',
  async (options) => {
    const store = rig.store(options)
    const inTime = () => newEvent({ waitSeconds: 0.5, leaseSeconds: 5, workSeconds: 4 })
    const locker = new pg.Client({ connectionString: rig.url })
    await locker.connect()
    await locker.query('BEGIN; LOCK TABLE webhook_inbox.events IN SHARE MODE')
    try {
      const outcomes = await Promise.all([
        store.once(inTime(), async () => {}),
        store.inbox?.accept(inTime(), async () => {}),
      ])
      expect(outcomes).toMatchObject([{ state: 'busy' }, { state: 'busy' }])
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
      expect(await rig.sql(waiting)).toEqual([])
    } finally {
      await locker.end()
    }
  },
)

describe('a claim', () => {
  test('prepares a constant number of statements per connection', async () => {
    const { run, prepared } = onOneClient()
    expect(await run()).toEqual(once)
    const after = await prepared()
    for (let i = 0; i < 3; i++) {
      expect(await run()).toEqual(once)
    }
    expect(await prepared()).toEqual(after)
  })

  test('works when its connection lost the prepared statements', async () => {
    const { pool, run } = onOneClient()
    expect(await run()).toEqual(once)
    for (let i = 0; i < 3; i++) {
      await pool.query('DEALLOCATE ALL')
      expect(await run()).toEqual(once)
    }
  })

  test('works when another client prepared the statements on its connection', async () => {
    const known = onOneClient()
    await known.run()
    const claim = (await known.prepared()).find(({ statement }) => statement.includes('INSERT'))
    expect(claim).toBeDefined()
    const { pool, run } = onOneClient()
    await pool.query(`PREPARE ${claim?.name} AS SELECT 1`)
    for (let i = 0; i < 3; i++) {
      expect(await run()).toEqual(once)
    }
  })

  test('works on a pool in pipeline mode', async () => {
    const { run } = onOneClient({ pipeline: true })
    for (let i = 0; i < 3; i++) {
      expect(await run()).toEqual(once)
    }
  })

  test('rejects after the query_timeout of the pool, and uses another connection the next time', async () => {
    const { pool, store, run } = onOneClient({ query_timeout: 300 })
    await run()
    const lock = new pg.Client({ connectionString: rig.url })
    await lock.connect()
    await lock.query('BEGIN; LOCK TABLE webhook_inbox.events')
    await expect(store.once(newEvent(), async () => {})).rejects.toThrow(StoreError)
    await lock.end()
    expect(await run()).toEqual(once)
    expect(pool.totalCount).toBe(1)
  })

  test('works on a connection where it failed because the tables were missing', async () => {
    const pool = rig.pool({ max: 1 })
    const store = postgresStore({ pool, schema: 'later' })
    await expect(store.once(newEvent(), async () => {})).rejects.toThrow(/migratePostgres/)
    await migratePostgres(pool, { schema: 'later' })
    expect((await store.once(newEvent(), async () => {})).state).toBe('done')
  })
})

test('runs no statement of a batch after one that fails', async () => {
  const client = new pg.Client({ connectionString: rig.url })
  await client.connect()
  try {
    const insert = "INSERT INTO effects VALUES ('after a failure')"
    const failure = await new Promise((resolve) => {
      client.query(new PipelinedQuery([{ text: 'SELECT 1/0' }, { text: insert }], resolve) as never)
    })
    expect(failure).toMatchObject({ code: '22012' })
    expect(await rig.sql("SELECT FROM effects WHERE key = 'after a failure'")).toEqual([])
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  } finally {
    await client.end()
  }
})
