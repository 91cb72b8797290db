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
  const outcome = await postgresStore({ pool: cuttingPool() })
    .once(event, work)
    .catch((error) => error)
  expect(outcome).toBeInstanceOf(Error)
  const stored = await store.inbox.read(event.key)
  expect(stored).toMatchObject({ state: 'failed', attempt: 1 })
  expect(stored?.attempts?.map(({ attempt, error }) => [attempt, error])).toEqual([
    [1, 'Error: the account is closed'],
  ])
})
