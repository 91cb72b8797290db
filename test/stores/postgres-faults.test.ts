import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { HandlerFailure, StoreError } from '../../src/errors.js'
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
    await expect(lost).rejects.toThrow(HandlerFailure)
    expect(await rig.effects(event)).toBe(0)
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
    const again = await store.once(event, ({ tx }) => effect(tx, event))
    expect(again).toMatchObject({ state: 'done', attempt: 2 })
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
    await expect(lost).rejects.toThrow(HandlerFailure)
    expect((await store.once(event, async () => {})).state).toBe('done')
  })

  test.each([
    ['of the inbox', true],
    ['without a queue', false],
  ])('that makes the handler fail counts, for an event %s', async (_, isKept) => {
    const store = rig.store()
    const event = { ...newEvent(), isKept }
    if (isKept) {
      await store.inbox.accept(event)
    }
    for (const attempt of [1, 2]) {
      const lost = store.once(event, async ({ tx }) => {
        await tx.query('SELECT pg_terminate_backend(pg_backend_pid())')
      })
      await expect(lost).rejects.toMatchObject({ code: '57P01' })
      const stored = await store.inbox.read(event.key)
      expect(stored).toMatchObject({ state: 'failed', attempt })
      expect(stored?.attempts).toHaveLength(attempt)
    }
  })

  test('by a query that crashes its backend counts, although the server recovers first', async () => {
    const store = rig.store()
    const event = newEvent()
    await store.inbox.accept(event)
    const lost = store.once({ ...event, isKept: true }, async ({ tx }) => {
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid')
      process.kill(rows[0].pid, 'SIGSEGV')
      await tx.query('SELECT pg_sleep(10)')
    })
    await expect(lost).rejects.toThrow()
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
  })

  test('at each COMMIT counts, if the commit did not take effect', async () => {
    await rig.sql(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE TABLE deadly (n int);
      CREATE CONSTRAINT TRIGGER deadly AFTER INSERT ON deadly DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION die()`)
    const store = rig.store()
    const event = newEvent()
    const lost = store.once(event, ({ tx }) => tx.query('INSERT INTO deadly VALUES (1)'))
    await expect(lost).rejects.toThrow(HandlerFailure)
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
  })

  test('by a time limit of the server that is shorter than ours counts', async ({ skip }) => {
    const [{ version }] = (await rig.sql('SHOW server_version_num')).map((row) => ({
      version: Number(row.server_version_num),
    })) as [{ version: number }]
    skip(version < 170_000, 'Postgres has transaction_timeout since 17')
    const store = rig.store({ options: '-c transaction_timeout=300' })
    const event = newEvent()
    await store.inbox.accept(event)
    const lost = store.once({ ...event, isKept: true }, () => sleep(600))
    await expect(lost).rejects.toThrow(HandlerFailure)
  })

  test('instead of the reply to COMMIT: not acknowledged, and a duplicate on redelivery', async () => {
    const cutter = await startCommitCutter(rig.server.port)
    const store = rig.store({ connectionString: rig.url.replace(`:${rig.server.port}`, `:${cutter.port}`) })
    try {
      const event = newEvent()
      cutter.arm('once')
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

  test('and starts again while a handler runs does not count an attempt', async () => {
    const store = rig.store()
    const event = newEvent()
    await store.inbox.accept(event)
    const lost = store.once({ ...event, isKept: true }, async ({ tx }) => {
      await effect(tx, event)
      await rig.server.stop('fast')
      await rig.server.start()
    })
    await expect(lost).rejects.toThrow(StoreError)
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'accepted', attempt: 0, failures: 0 })
    expect(await rig.effects(event)).toBe(0)
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
