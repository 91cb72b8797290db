import { expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { startTcpProxy } from '../servers/tcp-proxy.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('a connection that no longer answers costs one query_timeout, not a second one for the ROLLBACK', async () => {
  const proxy = await startTcpProxy(Number(new URL(rig.url).port))
  const url = new URL(rig.url)
  url.port = String(proxy.port)
  const pool = rig.pool({ connectionString: url.href, query_timeout: 4000 })
  const store = postgresStore({ pool })
  try {
    const dropped: unknown[] = []
    pool.on('remove', (client) => dropped.push((client as { processID?: unknown }).processID))
    let held: unknown
    const startedAt = performance.now()
    const once = store.once(newEvent(), async ({ tx }) => {
      held = (tx as { processID?: unknown }).processID
      proxy.forget()
    })
    await expect(once).rejects.toMatchObject({ code: 'store_unavailable' })
    const seconds = (performance.now() - startedAt) / 1000
    expect(seconds).toBeGreaterThan(3.9)
    expect(seconds).toBeLessThan(6.5)
    expect(dropped, 'the connection is dropped').toEqual([held])
    expect(pool.totalCount - pool.idleCount).toBe(0)
    expect((await store.once(newEvent(), async () => 1)).state).toBe('done')
  } finally {
    await proxy.close()
  }
})

test('a handler whose query gets no reply does not hold its client for a second query_timeout', async () => {
  const proxy = await startTcpProxy(Number(new URL(rig.url).port))
  const url = new URL(rig.url)
  url.port = String(proxy.port)
  const pool = rig.pool({ connectionString: url.href, query_timeout: 4000 })
  const store = postgresStore({ pool })
  try {
    const startedAt = performance.now()
    const once = store.once(newEvent(), async ({ tx }) => {
      proxy.forget()
      await tx.query('SELECT 1')
    })
    await expect(once).rejects.toThrow()
    expect((performance.now() - startedAt) / 1000).toBeLessThan(7)
    expect(pool.totalCount - pool.idleCount).toBe(0)
  } finally {
    await proxy.close()
  }
})
