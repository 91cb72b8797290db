import type pg from 'pg'
import { expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

/** A pool whose first COMMIT takes effect, but the connection breaks before its reply arrives. */
function cuttingPool(): pg.Pool {
  const pool = rig.pool()
  pool.on('error', () => {})
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  let hasCut = false
  pool.connect = (async () => {
    const client = await connect()
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((text: unknown, ...rest: unknown[]) => {
      const reply = query(text, ...rest)
      if (hasCut || typeof text !== 'string' || !text.endsWith('COMMIT')) {
        return reply
      }
      hasCut = true
      return (reply as Promise<unknown>).then(() => {
        const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection
        stream.destroy()
        throw new Error('Connection terminated unexpectedly')
      })
    }) as never
    return client
  }) as never
  return pool
}

test('a failure that the transaction of the claim has noted is not noted again when the reply is lost', async () => {
  const store = rig.store()
  const event = { ...newEvent({ leaseSeconds: 2 }), isKept: true }
  await store.inbox.accept(event, async () => {})
  const work = () => Promise.reject(new Error('the account is closed'))
  const outcome = postgresStore({ pool: cuttingPool() }).once(event, work)
  // It counts as a failure of the work, not of the database.
  await expect(outcome).rejects.toThrow('the account is closed')
  const stored = await store.inbox.read(event.key)
  expect(stored).toMatchObject({ state: 'failed', attempt: 1 })
  expect(stored?.attempts?.map(({ attempt, error }) => [attempt, error])).toEqual([
    [1, 'Error: the account is closed'],
  ])
})

test('a worker that was cut off does not note its failure in a replay', async () => {
  const store = rig.store()
  const event = { ...newEvent({ leaseSeconds: 2 }), isKept: true }
  await store.inbox.accept(event, async () => {})
  const pool = rig.pool()
  pool.on('error', () => {})
  const audit = { reason: 'corrected', actor: 'suite' }
  const work = async ({ tx }: { tx: { query(text: string): Promise<unknown> } }) => {
    // Its own session ends, so its claim is free.
    await tx.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {})
    await store.inbox.markDead(event.key, 'another worker took over')
    await store.inbox.requeue(event.key, audit, async () => {})
    throw new Error('the account is closed')
  }
  await expect(postgresStore({ pool }).once(event, work as never)).rejects.toThrow()
  expect(await store.inbox.read(event.key)).toMatchObject({ state: 'accepted', generation: 1, attempt: 0 })
})
