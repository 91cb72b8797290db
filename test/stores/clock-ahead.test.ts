import assert from 'node:assert/strict'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { StoreError } from '../../src/errors.js'
import type { EventRef } from '../../src/store/event-ref.js'
import type { Inbox } from '../../src/store/inbox.js'
import { memoryLeases } from '../../src/stores/memory.js'
import { redisLeases } from '../../src/stores/redis.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { bulkOf, step, takenRun } from '../../src/testing/inbox-suite/bulk-bench.js'
import { startRedis } from '../servers/redis.js'
import * as postgres from './postgres-rig.js'
import { clientPool } from './redis-clients.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, nothing } from './sqlite-rig.js'

const hour = 3600
const { connect } = clientPool()

afterEach(() => void vi.useRealTimers())
afterAll(removeFiles)

const fail = () => Promise.reject(new Error('failed'))

type AnyInbox = Pick<Inbox<unknown>, 'accept' | 'due' | 'flow'>

/** An event of each of two types. The circuit of `tried` allows a trial. */
async function circuitsOf(inbox: AnyInbox): Promise<string[]> {
  const events = ['opened', 'tried'].map((type) => newEvent({ type }))
  for (const event of events) {
    await inbox.accept(event, nothing)
  }
  await inbox.flow?.countFailure('default', 'tried', 'cause', { failures: 1, retryAfterSeconds: 0.001 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  return events.map(({ key }) => key).sort()
}

async function expectFree(inbox: AnyInbox, events: readonly string[]): Promise<void> {
  const held = async () =>
    (await inbox.flow?.holds('default'))?.circuits.map(({ isHolding, isOnTrial }) => [isHolding, isOnTrial])
  const dueKeys = async () => (await inbox.due(100)).map(({ key }) => key).sort()
  expect(await held()).toEqual([
    [false, false],
    [false, false],
  ])
  expect(await dueKeys()).toEqual(events)
  // From now on the times are right. So a trial without a result holds its type back for its own time only.
  for (const type of ['opened', 'tried']) {
    expect(await inbox.flow?.startTrial('default', type, 0.001)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await inbox.flow?.startTrial('default', type, 60)).toBe(true)
    expect(await inbox.flow?.startTrial('default', type, 60)).toBe(false)
  }
  expect(await held()).toEqual([
    [true, true],
    [true, true],
  ])
  expect(await dueKeys()).toEqual([])
}

describe('a clock that was an hour ahead and was set back', () => {
  test('delays no event on SQLite: those accepted or failed before are due', async () => {
    const store = sqliteStore(newFile())
    const [accepted, failed, paused, replayed] = [newEvent(), newEvent(), newEvent(), newEvent()]
    const all = [accepted, failed, paused, replayed]
    for (const event of [failed, replayed]) {
      await store.inbox.accept(event, nothing)
    }
    await store.once(replayed, nothing)

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hour * 1000 })
    await store.inbox.accept(accepted, nothing)
    await store.inbox.accept(paused, nothing)
    await store.inbox.postpone(paused.key, 60, 'failed')
    await store.inbox.requeue(replayed.key, { reason: 'r', actor: 'a' }, nothing)
    await store.once(failed, fail).catch(() => {})
    vi.useRealTimers()

    const due = (await store.inbox.due(100)).map(({ key }) => key)
    expect(due.sort()).toEqual(all.map(({ key }) => key).sort())
    expect(await store.inbox.read(paused.key)).toMatchObject({ state: 'failed', isBeforeRetry: false })
    expect(await store.inbox.due(2)).toHaveLength(2)
    await store.inbox.postpone(paused.key, 60, 'failed again')
    expect((await store.inbox.due(100)).map(({ key }) => key)).not.toContain(paused.key)
    await store.close()
  })

  test('holds no type back on SQLite because of a circuit or a trial of that time', async () => {
    const { inbox, close } = sqliteStore(newFile())
    const events = await circuitsOf(inbox as unknown as AnyInbox)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hour * 1000 })
    await inbox.flow?.countFailure('default', 'opened', 'cause', { failures: 1, retryAfterSeconds: 60 })
    expect(await inbox.flow?.startTrial('default', 'tried', 60)).toBe(true)
    vi.useRealTimers()
    await expectFree(inbox as unknown as AnyInbox, events)
    await close()
  })

  test('does not make a lease longer on SQLite', async () => {
    const store = sqliteStore(newFile())
    const event = newEvent({
      durations: { leaseSeconds: 1, workSeconds: 0.2, waitSeconds: 0, retentionSeconds: 3600 },
    })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hour * 1000 })
    void store.once(event, () => new Promise(() => {}))
    await vi.waitFor(() => expect(store.once(event, nothing)).resolves.toMatchObject({ state: 'busy' }))
    vi.useRealTimers()
    const outcome = await vi.waitUntil(
      async () => {
        const { state } = await store.once(event, nothing)
        return state === 'busy' ? undefined : state
      },
      { timeout: 20_000 },
    )
    expect(outcome).toBe('done')
    await store.close()
  })

  describe('on SQLite takes no event from the handler that runs it, until its lease ends', () => {
    const durations = { leaseSeconds: 1, workSeconds: 0.2, waitSeconds: 0, retentionSeconds: 3600 }
    const audit = { reason: 'r', actor: 'a' }
    type Store = ReturnType<typeof open>
    const open = () => sqliteStore(newFile())

    /** Resolves when the handler runs. It does not end. */
    const run = (store: Store, event: EventRef) =>
      new Promise<void>((hasBegun) => {
        void store.once(event, () => new Promise(() => hasBegun())).catch(() => {})
      })

    /** What the error of an operation says, or its result. */
    const reasonOf = (operation: Promise<unknown>) =>
      operation.catch((error: StoreError) => error.reason ?? Promise.reject(error))

    const takings: Record<string, (store: Store, event: EventRef) => Promise<() => Promise<unknown>>> = {
      'accept with a job': async (store, event) => {
        await run(store, event)
        return async () => (await store.inbox.accept(event, nothing)).state
      },
      'accept without a job': async (store, event) => {
        await run(store, event)
        return async () => (await store.inbox.accept(event)).state
      },
      acceptDead: async (store, event) => {
        await store.inbox.accept(event, nothing)
        await run(store, event)
        return async () => (await store.inbox.acceptDead(event, 'invalid_data', 'r')).state
      },
      requeue: async (store, event) => {
        await store.inbox.accept(event, nothing)
        await run(store, event)
        return () => reasonOf(store.inbox.requeue(event.key, audit, nothing))
      },
      discard: async (store, event) => {
        await store.inbox.accept(event, nothing)
        await run(store, event)
        await store.inbox.markDead(event.key, 'too late')
        return () => reasonOf(store.inbox.discard(event.key, audit))
      },
      'a bulk run': async (store, event) => {
        await store.inbox.accept(event, nothing)
        await run(store, event)
        return async () => {
          const bulk = bulkOf(store)
          const taken = await takenRun(bulk, { endpoint: event.endpoint, action: 'giveUp' })
          const done = await step(bulk, taken)
          const ended = { state: 'done', isPastCanary: true, leaseSeconds: 60 } as const
          assert.ok(await bulk.settleRun(taken.run.id, taken.token, ended))
          return done.step?.run.skipped.is_running ? 'busy' : 'given up'
        }
      },
      'an event of its resource that is replayed': async (store, event) => {
        const [earlier, later] = [event, newEvent({ ...event, key: `later ${event.key}` })]
        await store.inbox.accept(earlier, nothing)
        await store.once(earlier, nothing)
        await store.inbox.accept(later, nothing)
        await run(store, later)
        await store.inbox.requeue(earlier.key, audit, nothing)
        return async () => (await store.once(earlier, nothing)).state
      },
    }

    test.each(Object.entries(takings))('by %s', async (_, begin) => {
      const store = open()
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hour * 1000 })
      const take = await begin(
        store,
        newEvent({ durations, resource: 'tr_1', endpoint: crypto.randomUUID() }),
      )
      expect(await take()).toBe('busy')
      vi.useRealTimers()
      expect(await take()).toBe('busy')
      await expect.poll(take, { timeout: 20_000 }).not.toBe('busy')
      await store.close()
    })
  })

  test('does not make a lease longer in memory', () => {
    let time = 1_000_000
    const leases = memoryLeases({ now: () => time })
    time += hour
    void leases.claim('a', 60)
    time -= hour
    expect(leases.claim('a', 60)).toEqual({ state: 'leased', remainingSeconds: 60 })
    time += 60
    expect(leases.claim('a', 60)).toMatchObject({ state: 'claimed', attempt: 2 })
  })

  test('does not make a lease longer in Redis', async () => {
    const server = await startRedis({ appendonly: 'yes' })
    try {
      const redis = connect(server.port)
      const leases = redisLeases({ client: redis, prefix: 'ahead:' })
      await leases.claim('a', 1)
      // What a server whose clock is an hour ahead writes.
      await redis.hset('ahead:a', 'u', Number(await redis.hget('ahead:a', 'u')) + hour * 1000)
      const claim = await leases.claim('a', 60)
      expect(claim.state).toBe('leased')
      expect(claim.state === 'leased' && claim.remainingSeconds).toBeLessThanOrEqual(1)
      await vi.waitUntil(async () => (await leases.claim('a', 60)).state === 'claimed', { timeout: 20_000 })
    } finally {
      await server.close()
    }
  })

  describe('on Postgres', () => {
    const rig = postgres.postgresRig()

    test('holds no type back because of a circuit or a trial of that time', async () => {
      const { inbox } = rig.store()
      const events = await circuitsOf(inbox as unknown as AnyInbox)
      await inbox.flow?.countFailure('default', 'opened', 'cause', { failures: 1, retryAfterSeconds: 60 })
      expect(await inbox.flow?.startTrial('default', 'tried', 60)).toBe(true)
      // What a server whose clock is an hour ahead writes.
      await rig.sql(`UPDATE webhook_inbox.circuits SET counted_at = counted_at + '1 hour',
        retry_at = CASE type WHEN 'opened' THEN retry_at + '1 hour' ELSE retry_at END, trial_until = trial_until + '1 hour'`)
      await expectFree(inbox as unknown as AnyInbox, events)
      await rig.sql('TRUNCATE webhook_inbox.events, webhook_inbox.circuits CASCADE')
    })

    test('delays no event: those accepted or failed before are due', async () => {
      const store = rig.store()
      const [accepted, paused, failed] = [postgres.newEvent(), postgres.newEvent(), postgres.newEvent()]
      for (const event of [accepted, paused, failed]) {
        await store.inbox.accept(event, nothing)
      }
      await store.inbox.postpone(paused.key, 60, 'failed')
      await store.once(failed, fail).catch(() => {})
      // What a server whose clock is an hour ahead writes.
      await rig.sql(`UPDATE webhook_inbox.events SET received_at = received_at + '1 hour', due_at = due_at + '1 hour',
        scheduled_at = scheduled_at + '1 hour'`)
      const due = (await store.inbox.due(100)).map(({ key }) => key)
      expect(due.sort()).toEqual([accepted.key, paused.key, failed.key].sort())
      expect(await store.inbox.due(2)).toHaveLength(2)
      await store.inbox.postpone(paused.key, 60, 'failed again')
      expect((await store.inbox.due(100)).map(({ key }) => key)).not.toContain(paused.key)
    })
  })
})
