import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { HandlerFailure, StoreError } from '../../src/errors.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { startCommitCutter } from '../servers/commit-cutter.js'
import { startTcpProxy } from '../servers/tcp-proxy.js'
import { effect, gate, inHand, newEvent, postgresRig } from './postgres-rig.js'

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

describe('a rejection of the database', () => {
  test('at COMMIT is a failure of the handler, and is recorded', async () => {
    await rig.sql(`CREATE TABLE IF NOT EXISTS accounts (id int PRIMARY KEY);
      CREATE TABLE IF NOT EXISTS entries (account int REFERENCES accounts DEFERRABLE INITIALLY DEFERRED)`)
    const store = rig.store()
    const event = newEvent()
    const refused = store.once(event, async ({ tx }) => {
      await effect(tx, event)
      await tx.query('INSERT INTO entries VALUES (404)')
    })
    await expect(refused).rejects.toThrow(HandlerFailure)
    expect(await rig.effects(event)).toBe(0)
    const stored = await store.inbox.read(event.key)
    expect(stored).toMatchObject({ state: 'failed', attempt: 1 })
    expect(stored?.lastError).toMatch(/entries_account_fkey/)
  })

  test('that the handler catches leaves the event not done, because COMMIT would roll back silently', async () => {
    const store = rig.store()
    const event = newEvent()
    const swallowed = store.once(event, async ({ tx }) => {
      await effect(tx, event)
      await tx.query('SELECT 1/0').catch(() => {})
      return 'fine'
    })
    await expect(swallowed).rejects.toThrow(HandlerFailure)
    expect(await rig.effects(event)).toBe(0)
    expect((await store.inbox.read(event.key))?.state).toBe('failed')
    const accepted = newEvent()
    const enqueue = async (tx: PoolClient) => {
      await tx.query('SELECT 1/0').catch(() => {})
    }
    await expect(store.inbox.accept(accepted, enqueue)).rejects.toThrow(StoreError)
    expect(await store.inbox.read(accepted.key)).toBeUndefined()
  })

  test('by a serialization failure in the handler gives busy and counts no attempt', async () => {
    const store = rig.store()
    const event = newEvent()
    const busy = await store.once(event, async ({ tx }) => {
      await effect(tx, event)
      const failure = await tx.query("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$").catch((error) => error)
      throw new HandlerFailure(failure)
    })
    expect(busy).toEqual({ state: 'busy', retryAfterSeconds: 1 })
    expect(await rig.effects(event)).toBe(0)
    expect(await store.inbox.read(event.key)).toBeUndefined()
  })

  test('by a deadlock of two handlers delays only one of them', async () => {
    const store = rig.store()
    await rig.sql('CREATE TABLE IF NOT EXISTS pots (id int PRIMARY KEY, n int DEFAULT 0)')
    await rig.sql('INSERT INTO pots VALUES (1), (2) ON CONFLICT DO NOTHING')
    const [both, ready] = [gate(), [gate(), gate()]] as const
    const run = (event: ReturnType<typeof newEvent>, [one, two]: [number, number], i: 0 | 1) =>
      store.once(event, async ({ tx }) => {
        await effect(tx, event)
        await tx.query('UPDATE pots SET n = n + 1 WHERE id = $1', [one])
        ready[i].open()
        await both.opened
        await tx.query('UPDATE pots SET n = n + 1 WHERE id = $1', [two])
      })
    const events = [newEvent(), newEvent()] as const
    const outcomes = Promise.all([run(events[0], [1, 2], 0), run(events[1], [2, 1], 1)])
    await Promise.all(ready.map(({ opened }) => opened))
    both.open()
    expect((await outcomes).map(({ state }) => state).sort()).toEqual(['busy', 'done'])
    expect((await rig.effects(events[0])) + (await rig.effects(events[1]))).toBe(1)
  })

  test('by a lock of another session gives busy', async () => {
    const store = rig.store()
    await rig.sql('CREATE TABLE IF NOT EXISTS wallets (id int PRIMARY KEY); INSERT INTO wallets VALUES (1)')
    const [held, end, event] = [gate(), gate(), newEvent()]
    const holder = store.once(newEvent(), async ({ tx }) => {
      await tx.query('SELECT FROM wallets FOR UPDATE')
      held.open()
      await end.opened
    })
    await held.opened
    const outcome = await store.once(event, ({ tx }) => tx.query('SELECT FROM wallets FOR UPDATE NOWAIT'))
    expect(outcome.state).toBe('busy')
    // The claim waits as long as a concurrent delivery may wait. A handler may wait as long as its claim lasts.
    const patient = store.once(newEvent({ waitSeconds: 0.1 }), ({ tx }) =>
      tx.query('SELECT FROM wallets FOR UPDATE'),
    )
    await sleep(500)
    end.open()
    expect((await patient).state).toBe('done')
    await holder
  })

  test('of a concurrent delivery under repeatable read gives duplicate', async () => {
    const options = '-c default_transaction_isolation=repeatable\\ read'
    const [here, there] = [rig.store({ options }), rig.store({ options })]
    const event = newEvent()
    const [begun, end] = [gate(), gate()]
    const first = here.once(event, async ({ tx }) => {
      await effect(tx, event)
      begun.open()
      await end.opened
    })
    await begun.opened
    const concurrent = there.once(event, mustNotRun)
    await sleep(200)
    end.open()
    expect((await first).state).toBe('done')
    expect(await concurrent).toEqual({ state: 'duplicate', contentHash: event.contentHash })
  })
})

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

test('a handler that outlives its lease has no effect, and the next run has one', async () => {
  const [here, there] = [rig.store(), rig.store()]
  const event = newEvent({ leaseSeconds: 1, workSeconds: 0.2, waitSeconds: 0.1 })
  const [begun, end] = [gate(), gate()]
  let signal: AbortSignal | undefined
  const zombie = here.once(event, async (context) => {
    signal = context.signal
    await effect(context.tx, event)
    begun.open()
    await end.opened
  })
  await begun.opened
  expect((await there.once(event, mustNotRun)).state).toBe('busy')
  await expect.poll(() => signal?.aborted, { timeout: 10_000 }).toBe(true)
  const heir = await there.once(event, ({ tx }) => effect(tx, event))
  expect(heir.state).toBe('done')
  end.open()
  expect(await zombie).toEqual({ state: 'lost' })
  expect(await rig.effects(event)).toBe(1)
  expect((await here.once(event, mustNotRun)).state).toBe('duplicate')
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
