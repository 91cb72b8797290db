import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { startCommitCutter } from '../servers/commit-cutter.js'
import { startTcpProxy } from '../servers/tcp-proxy.js'
import { effect, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

const mustNotRun = async () => {
  throw new Error('it ran a second time')
}

const terminate = async (tx: PoolClient) => {
  const { rows } = await tx.query('SELECT pg_backend_pid() AS pid')
  await rig.sql('SELECT pg_terminate_backend($1)', [rows[0].pid])
}

describe('a lost connection', () => {
  test('while the handler writes: the next delivery runs the event', async () => {
    const store = rig.store()
    const event = newEvent()
    const lost = store.once(event, async ({ tx, signal }) => {
      await effect(tx, event)
      await terminate(tx)
      await effect(tx, event).catch(() => {})
      await sleep(50)
      expect(signal.aborted).toBe(true)
      return 'as if nothing had happened'
    })
    await expect(lost).rejects.toThrow(StoreError)
    expect(await rig.effects(event)).toBe(0)
    const again = await store.once(event, ({ tx }) => effect(tx, event))
    expect(again).toMatchObject({ state: 'done', attempt: 1 })
    expect(await rig.effects(event)).toBe(1)
  })

  test('while the handler does something else: its signal is aborted', async () => {
    const store = rig.store()
    const event = newEvent()
    const lost = store.once(event, async ({ tx, signal }) => {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
      await terminate(tx).catch(() => {})
      await aborted
    })
    await expect(lost).rejects.toThrow(StoreError)
    expect((await store.once(event, async () => {})).state).toBe('done')
  })

  test('that makes the handler fail is a store error, not a handler error', async () => {
    const store = rig.store()
    const event = newEvent()
    const lost = store.once(event, async ({ tx }) => {
      await terminate(tx).catch(() => {})
      await effect(tx, event)
    })
    await expect(lost).rejects.toThrow(StoreError)
    expect(await store.inbox.read(event.key)).toBeUndefined()
  })

  test('instead of the reply to COMMIT: not acknowledged, and a duplicate on redelivery', async () => {
    const cutter = await startCommitCutter(rig.server.port)
    const store = rig.store({ connectionString: rig.url.replace(`:${rig.server.port}`, `:${cutter.port}`) })
    try {
      const event = newEvent()
      cutter.arm(true)
      const unknown = store.once(event, ({ tx }) => effect(tx, event))
      await expect(unknown).rejects.toThrow(StoreError)
      expect(cutter.cuts()).toBe(1)
      cutter.arm(false)
      expect((await store.once(event, mustNotRun)).state).toBe('duplicate')
      expect(await rig.effects(event)).toBe(1)

      const accepted = newEvent()
      cutter.arm(true)
      await expect(store.inbox.accept(accepted, async () => {})).rejects.toThrow(StoreError)
      cutter.arm(false)
      expect((await store.inbox.accept(accepted, mustNotRun)).state).toBe('duplicate')
    } finally {
      await cutter.close()
    }
  })

  test('immediately after connecting does not end the process', async () => {
    const message = (type: string, body: string | number[]) => {
      const length = Buffer.alloc(4)
      length.writeInt32BE(4 + body.length)
      return Buffer.concat([Buffer.from(type), length, Buffer.from(body as string)])
    }
    // An administrator ends all sessions, and the greeting and the termination arrive in one packet.
    const farewell = 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'
    const breath = [message('R', [0, 0, 0, 0]), message('Z', 'I'), message('E', farewell)]
    const server = createServer((socket) => socket.once('data', () => socket.end(Buffer.concat(breath))))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    try {
      const store = rig.store({ connectionString: rig.url.replace(String(rig.server.port), String(port)) })
      await expect(store.inbox.read('a key')).rejects.toThrow(StoreError)
    } finally {
      server.close()
    }
  })

  test('without a reset is detected by query_timeout: the next statement uses another connection', async () => {
    const proxy = await startTcpProxy(rig.server.port)
    const connectionString = rig.url.replace(String(rig.server.port), String(proxy.port))
    const { inbox } = rig.store({ connectionString, max: 1, query_timeout: 500 })
    try {
      expect(await inbox.read('a key')).toBeUndefined()
      proxy.forget()
      await expect(inbox.read('a key')).rejects.toThrow(StoreError)
      expect(await inbox.read('a key')).toBeUndefined()
    } finally {
      await proxy.close()
    }
  })

  test('without a reset is given up within the lease, together with its client', async () => {
    const proxy = await startTcpProxy(rig.server.port)
    const pool = rig.pool({ connectionString: rig.url.replace(`:${rig.server.port}`, `:${proxy.port}`) })
    const store = postgresStore({ pool })
    try {
      const event = newEvent({ leaseSeconds: 1, workSeconds: 0.5, waitSeconds: 0.5 })
      const lost = store.once(event, async ({ tx }) => {
        await effect(tx, event)
        proxy.forget()
      })
      await expect(lost).resolves.toEqual({ state: 'lost' })
      expect(pool.totalCount - pool.idleCount).toBe(0)
      expect((await store.once(event, ({ tx }) => effect(tx, event))).state).toBe('done')
      expect(await rig.effects(event)).toBe(1)
    } finally {
      await proxy.close()
    }
  })
})

describe('a server that stops', () => {
  test('does not end the process, and the same pool reconnects', async () => {
    const store = rig.store()
    const [before, event, after] = [newEvent(), newEvent(), newEvent()]
    await store.once(before, ({ tx }) => effect(tx, before))
    for (const stop of ['immediate', 'fast'] as const) {
      const lost = store.once(event, async ({ tx }) => {
        await effect(tx, event)
        await rig.server.stop(stop)
      })
      await expect(lost).rejects.toThrow(StoreError)
      await expect(store.once(after, mustNotRun)).rejects.toThrow(StoreError)
      await rig.server.start()
    }
    expect((await store.once(before, mustNotRun)).state).toBe('duplicate')
    expect((await store.once(event, ({ tx }) => effect(tx, event))).state).toBe('done')
    expect([await rig.effects(before), await rig.effects(event)]).toEqual([1, 1])
  })

  test('that is killed after COMMIT has kept the event', async () => {
    const store = rig.store()
    const event = newEvent()
    await store.once(event, ({ tx }) => effect(tx, event))
    await rig.server.kill()
    await rig.server.start()
    expect((await store.once(event, mustNotRun)).state).toBe('duplicate')
    expect(await rig.effects(event)).toBe(1)
  })
})
