import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { HandlerFailure, StoreError } from '../../src/errors.js'
import { effect, gate, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

const mustNotRun = async () => {
  throw new Error('it ran a second time')
}

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

  test.each(['40001', '40P01', '55P03'])('%s in the handler is a failure as any other', async (state) => {
    const store = rig.store()
    const event = newEvent()
    const failing = store.once(event, async ({ tx }) => {
      await effect(tx, event)
      const failure = await tx.query(`DO $$ BEGIN RAISE SQLSTATE '${state}'; END $$`).catch((error) => error)
      throw new HandlerFailure(failure)
    })
    await expect(failing).rejects.toThrow(HandlerFailure)
    expect(await rig.effects(event)).toBe(0)
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
  })

  test('by a deadlock of two handlers is the failure of one of them', async () => {
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
    const outcomes = Promise.allSettled([run(events[0], [1, 2], 0), run(events[1], [2, 1], 1)])
    await Promise.all(ready.map(({ opened }) => opened))
    both.open()
    expect((await outcomes).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await rig.effects(events[0])) + (await rig.effects(events[1]))).toBe(1)
  })

  test('by a lock of another session is a failure, if the handler does not wait for it', async () => {
    const store = rig.store()
    await rig.sql('CREATE TABLE IF NOT EXISTS wallets (id int PRIMARY KEY); INSERT INTO wallets VALUES (1)')
    const [held, end, event] = [gate(), gate(), newEvent()]
    const holder = store.once(newEvent(), async ({ tx }) => {
      await tx.query('SELECT FROM wallets FOR UPDATE')
      held.open()
      await end.opened
    })
    await held.opened
    const hasty = store.once(event, ({ tx }) => tx.query('SELECT FROM wallets FOR UPDATE NOWAIT'))
    await expect(hasty).rejects.toMatchObject({ code: '55P03' })
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
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

test('a handler that outlives its lease takes nothing from the attempts of its queue', async () => {
  const store = rig.store()
  const event = newEvent({ leaseSeconds: 0.5, workSeconds: 0.2, waitSeconds: 0.1 })
  const [late, failed] = [newEvent(event.durations), newEvent(event.durations)]
  const lapse = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  expect(await store.once(late, lapse)).toEqual({ state: 'lost' })
  const attemptsOf = async ({ key }: typeof event) => (await store.inbox.read(key))?.attempts
  expect(await attemptsOf(late)).toEqual([expect.objectContaining({ attempt: 1, isUncounted: true })])
  await expect(store.once(failed, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await attemptsOf(failed)).toEqual([expect.not.objectContaining({ isUncounted: true })])
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
