import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { inHand, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

const mustNotRun = async () => {
  throw new Error('it ran a second time')
}

describe('a pool', () => {
  test('without a free client rejects in time, and gets a late client back', async () => {
    const pool = rig.pool({ max: 1 })
    const store = postgresStore({ pool })
    const client = await pool.connect()
    const hurried = newEvent({ leaseSeconds: 0.3, workSeconds: 0.1 })
    await expect(store.once(hurried, mustNotRun)).rejects.toThrow(/no connection within 0.3 s/)
    client.release()
    await expect.poll(() => pool.idleCount).toBe(1)
    expect(pool.waitingCount).toBe(0)
    expect((await store.once(hurried, async () => {})).state).toBe('done')
  })

  test('lends a client for longer than a timer can wait', async () => {
    const month = newEvent({ leaseSeconds: 30 * 86_400 })
    expect(await rig.store().once(month, () => sleep(50))).toMatchObject({ state: 'done' })
  })

  test('is not exhausted by many deliveries of one event', async () => {
    const store = rig.store({ max: 3 })
    const event = newEvent({ waitSeconds: 1 })
    const end = await inHand(store, event)
    const storm = Array.from({ length: 500 }, () => store.once(event, mustNotRun))
    const startedAt = performance.now()
    const other = await Promise.race([store.once(newEvent(), async () => {}), sleep(900)])
    expect(other).toMatchObject({ state: 'done' })
    expect(performance.now() - startedAt).toBeLessThan(900)
    await end()
    for (const { state } of await Promise.all(storm)) {
      expect(['duplicate', 'busy']).toContain(state)
    }
  })

  test('gets its clients back unchanged', async () => {
    const pool = rig.pool({ max: 1 })
    const store = postgresStore({ pool })
    for (let i = 0; i < 30; i++) {
      const run = store.once(newEvent(), async () => {
        if (i % 2) {
          throw new Error('no')
        }
      })
      await run.catch(() => {})
    }
    const client = await pool.connect()
    expect(client.listenerCount('error')).toBeLessThan(3)
    const { rows } = await client.query(
      "SELECT current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle",
    )
    expect(rows).toEqual([{ lock: '0', idle: '0' }])
    client.release()
    await store.close()
    expect(pool.listenerCount('error')).toBe(0)
  })
})

describe('other content with a known id', () => {
  test('does not run after the event is acknowledged', async () => {
    const store = rig.store()
    const event = newEvent()
    await store.inbox.accept(event, async () => {})
    const other = {
      ...event,
      contentHash: newEvent().contentHash,
      body: new TextEncoder().encode('{"other":1}'),
    }
    const conflict = { state: 'duplicate', contentHash: event.contentHash }
    expect(await store.once(other, mustNotRun)).toEqual(conflict)
    await store.inbox.postpone(event.key, 0, 'failed')
    expect(await store.once(other, mustNotRun)).toEqual(conflict)
    const stored = await store.inbox.read(event.key)
    expect(stored).toMatchObject({ state: 'failed', contentHash: event.contentHash })
    expect(Buffer.from(stored?.body ?? []).toString()).toBe('{}')
  })

  test('replaces a failed event that was never acknowledged', async () => {
    const store = rig.store()
    const event = newEvent()
    const other = {
      ...event,
      contentHash: newEvent().contentHash,
      body: new TextEncoder().encode('{"other":1}'),
    }
    await expect(store.once(event, mustNotRun)).rejects.toThrow()
    expect(await store.once(other, async () => {})).toMatchObject({ state: 'done', attempt: 2 })
    const stored = await store.inbox.read(event.key)
    expect(stored?.contentHash).toBe(other.contentHash)
    expect(Buffer.from(stored?.body ?? []).toString()).toBe('{"other":1}')
  })
})
