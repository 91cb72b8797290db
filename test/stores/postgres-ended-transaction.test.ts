import type { Knex } from 'knex'
import { CompiledQuery, type Transaction } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type PostgresStore, postgresStore } from '../../src/stores/postgres.js'
import { onDrizzle, onKnex, onKysely, rig, startJoinedRig, type Tables } from './postgres-joined-rig.js'
import { effect, newEvent } from './postgres-rig.js'

startJoinedRig()

/** Texts that end the transaction of the store. The guard of `tx` finds only some of them. */
const misuses = [
  'SELECT 1; COMMIT',
  'SELECT 1; ROLLBACK',
  'SELECT 1; COMMIT; BEGIN',
  'SELECT 1; ROLLBACK; BEGIN',
  "SELECT 1; COMMIT; BEGIN; SELECT set_config('lock_timeout', '9s', true)",
  'SELECT 1; END',
  'SELECT 1; COMMIT AND CHAIN',
]

/** Runs a text as a handler with this kind of `tx` does. */
type Run = (tx: unknown, text: string) => Promise<unknown>

/** Bypasses the guard of `tx`, as a library does that keeps the client. */
const unguarded: Run = (tx, text) =>
  new Promise((resolve, reject) => {
    const { query } = pg.Client.prototype as { query: (...values: unknown[]) => void }
    query.call(tx, text, (error: unknown) => (error ? reject(error) : resolve(undefined)))
  })

const stores: readonly (readonly [string, () => PostgresStore<unknown>, Run])[] = [
  ['a pool', () => rig.store() as PostgresStore<unknown>, unguarded],
  [
    'a pool without pipelining',
    () => postgresStore({ pool: rig.pool(), pipelining: false }) as PostgresStore<unknown>,
    unguarded,
  ],
  [
    'Kysely',
    () => onKysely() as PostgresStore<unknown>,
    (tx, text) => (tx as Transaction<Tables>).executeQuery(CompiledQuery.raw(text, [])),
  ],
  [
    'Drizzle',
    () => onDrizzle() as PostgresStore<unknown>,
    (tx, text) => (tx as { execute(text: string): Promise<unknown> }).execute(text),
  ],
  ['Knex', () => onKnex() as PostgresStore<unknown>, async (tx, text) => (tx as Knex.Transaction).raw(text)],
]

describe.each(stores)('over %s, a handler that sends', (_, makeStore, run) => {
  describe.each(misuses)('%s', (text) => {
    describe.each(['of the inbox', 'without a queue'])('for an event %s', (kind) => {
      async function found(store: PostgresStore<unknown>) {
        const event = newEvent()
        if (kind === 'without a queue') {
          return event
        }
        await store.inbox.accept(event)
        return { ...event, isKept: true }
      }

      test('and resolves is a counted failure', async () => {
        const store = makeStore()
        const event = await found(store)
        for (const attempt of [1, 2]) {
          const ended = store.once(event, ({ tx }) => run(tx, text))
          await expect(ended).rejects.toMatchObject({ cause: { code: 'transaction_misused' } })
          expect(await store.inbox.read(event.key)).toMatchObject({
            state: 'failed',
            attempt,
            lastError: expect.stringContaining('transaction_misused'),
            attempts: Array.from({ length: attempt }, (_, i) => ({ attempt: i + 1 })),
          })
        }
        expect(await store.once(event, async () => 'it ran')).toMatchObject({ state: 'done', attempt: 3 })
      })

      test('and throws is a failure with the error that it threw, and the event is not done', async () => {
        const store = makeStore()
        const event = await found(store)
        const ended = store.once(event, async ({ tx }) => {
          await run(tx, text)
          throw new Error('no such account')
        })
        await expect(ended).rejects.toThrow('no such account')
        expect(await store.inbox.read(event.key)).toMatchObject({
          state: 'failed',
          attempt: 1,
          attempts: [{ attempt: 1, error: 'Error: no such account' }],
        })
        expect(await store.once(event, async () => 'it ran')).toMatchObject({ state: 'done', attempt: 2 })
      })
    })
  })
})

describe('over Knex, a handler', () => {
  test.each(['commit', 'rollback'] as const)(
    'that calls trx.%s() and then fails is not done',
    async (end) => {
      const store = onKnex()
      const event = newEvent()
      const ended = store.once(event, async ({ tx }) => {
        await tx[end]()
        await new Promise((resolve) => setTimeout(resolve, 50))
        throw new Error('no such account')
      })
      await expect(ended).rejects.toThrow('no such account')
      expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
    },
  )

  test.each(['commit', 'rollback'] as const)('that calls trx.%s() is a counted failure', async (end) => {
    const store = onKnex()
    const event = newEvent()
    const ended = store.once(event, async ({ tx }) => {
      await tx[end]()
    })
    await expect(ended).rejects.toMatchObject({ name: 'HandlerFailure' })
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
  })
})

test('an event that another worker has done since stays done', async () => {
  const [here, there] = [rig.store(), rig.store()]
  const event = newEvent()
  const ended = here.once(event, async ({ tx }) => {
    await unguarded(tx, 'SELECT 1; ROLLBACK')
    expect((await there.once(event, ({ tx }) => effect(tx, event))).state).toBe('done')
    throw new Error('no such account')
  })
  await expect(ended).rejects.toThrow('no such account')
  expect(await here.inbox.read(event.key)).toMatchObject({ state: 'done', attempt: 1 })
  expect(await rig.effects(event)).toBe(1)
})

test.each([
  'SELECT 1; COMMIT',
  "INSERT INTO notes VALUES ('; it''s');\n-- why\ncommit",
  'SELECT 1; /* why */ ROLLBACK WORK; SELECT 2',
  'SELECT $a$; x$a$; START TRANSACTION',
  'SELECT 1;; BEGIN',
])('the guard of tx finds the end of the transaction in %s', async (text) => {
  const store = rig.store()
  const event = newEvent()
  const ended = store.once(event, async ({ tx }) => {
    await effect(tx, event)
    await tx.query(text)
  })
  await expect(ended).rejects.toMatchObject({ code: 'transaction_misused' })
  expect(await rig.effects(event)).toBe(0)
})

test.each([
  "SELECT '; COMMIT'",
  "SELECT E'\\'; COMMIT', 1",
  'SELECT 1 AS "; ROLLBACK"',
  'SELECT $$; COMMIT$$',
  'SELECT 1; -- ; COMMIT',
  'SELECT 1; /* ; COMMIT */ SELECT 2',
  'DO $$ BEGIN PERFORM 1; EXCEPTION WHEN others THEN NULL; END $$; SELECT 1',
  'SAVEPOINT a; ROLLBACK TO SAVEPOINT a; RELEASE a',
])('the guard of tx lets %s through', async (text) => {
  const event = newEvent()
  const { state } = await rig.store().once(event, ({ tx }) => tx.query(text))
  expect(state).toBe('done')
})
