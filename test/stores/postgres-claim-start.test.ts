import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { inHand, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('a claim names the time at which its handler started, by the clock of the server', async () => {
  const [here, there] = [rig.store(), rig.store()]
  const now = async () =>
    (await rig.sql('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at'))[0]?.at
  const event = newEvent()
  await here.inbox.accept(event)
  const before = await now()
  const end = await inHand(there, event)
  const after = await now()
  const claim = await here.inbox.flow?.claimOf(event.key)
  expect(claim).toEqual({ state: 'running', since: expect.any(String) })
  const since = Date.parse((claim as { since: string }).since)
  // A time has milliseconds here.
  expect([since >= Number(before) - 1, since <= Number(after)]).toEqual([true, true])
  await end()
  expect(await here.inbox.flow?.claimOf(event.key)).toEqual({ state: 'free' })
})

/** Other transactions wait for what the handler wrote, and the server grants them its lock for a moment when it ends. */
test('a claim that has just ended names no start of a transaction that waited for it', async () => {
  const store = rig.store()
  const event = newEvent()
  await store.inbox.accept(event)
  await rig.sql('CREATE TABLE accounts (id int PRIMARY KEY); INSERT INTO accounts VALUES (1), (2)')
  const [holder, ...waiters] = await Promise.all(
    [0, 1, 2].map(async () => {
      const client = new pg.Client({ connectionString: rig.url })
      await client.connect()
      onTestFinished(() => client.end())
      const [{ pid }] = (await client.query('SELECT pg_backend_pid() AS pid')).rows
      return { client, pid: pid as number }
    }),
  )
  await holder?.client.query('BEGIN')
  await holder?.client.query('UPDATE accounts SET id = id')
  await holder?.client.query('UPDATE webhook_inbox.events SET done_at = NULL WHERE key = $1', [event.key])
  const waiting = waiters.map(({ client }, i) =>
    client.query('UPDATE accounts SET id = id WHERE id = $1', [i + 1]),
  )
  const locks = "SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"
  await expect.poll(async () => (await rig.sql(locks)).length).toBe(2)

  /** Ends the transaction of the handler before the store asks when it began. */
  async function endHolder(): Promise<void> {
    for (const { pid } of waiters) {
      process.kill(pid, 'SIGSTOP')
    }
    await holder?.client.query('ROLLBACK')
  }
  const pool = rig.pool()
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  pool.connect = (async () => {
    const client = await connect()
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = (async (text: unknown, ...rest: unknown[]) => {
      if (String((text as { text?: string }).text ?? text).includes('pg_locks')) {
        await endHolder()
      }
      return query(text, ...rest)
    }) as never
    return client
  }) as never
  try {
    const claim = await postgresStore({ pool, pipelining: false }).inbox.flow?.claimOf(event.key)
    expect(claim).toEqual({ state: 'running', since: undefined })
  } finally {
    for (const { pid } of waiters) {
      process.kill(pid, 'SIGCONT')
    }
  }
  await Promise.all(waiting)
  expect(await store.inbox.flow?.claimOf(event.key)).toEqual({ state: 'free' })
})
