import type pg from 'pg'
import { expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { effect, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

/** A pool whose COMMITs take effect, but their replies never arrive, as over a network that stands still. */
function silentPool(): pg.Pool {
  const pool = rig.pool()
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  pool.connect = (async () => {
    const client = await connect()
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((text: unknown, ...rest: unknown[]) => {
      const reply = query(text, ...rest)
      return typeof text === 'string' && text.endsWith('COMMIT') ? new Promise(() => {}) : reply
    }) as never
    return client
  }) as never
  return pool
}

test.each(['first delivered', 'kept in the inbox'])(
  'an event that is %s does not run again if its time passes while it is committed',
  async (how) => {
    const store = rig.store()
    const durations = { leaseSeconds: 0.5, workSeconds: 0.1 }
    const isKept = how === 'kept in the inbox'
    const event = { ...newEvent(durations), ...(isKept && { isKept }) }
    if (isKept) {
      await store.inbox.accept(event, async () => {})
    }
    const late = await postgresStore({ pool: silentPool() })
      .once(event, ({ tx }) => effect(tx, event))
      .catch((error) => error)
    expect(late).toMatchObject({ state: 'lost' })
    expect(await rig.effects(event)).toBe(1)
    const again = await store.once(event, ({ tx }) => effect(tx, event))
    expect(again).toMatchObject({ state: 'duplicate' })
    expect(await rig.effects(event)).toBe(1)
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'done', attempt: 1 })
  },
)
