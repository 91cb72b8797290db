import { afterAll, describe, expect, test } from 'vitest'
import { HandlerFailure } from '../../src/errors.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { drivers, newFile, removeFiles } from './sqlite-files.js'
import { ask, newEvent } from './sqlite-rig.js'

afterAll(removeFiles)

const tables = `PRAGMA foreign_keys = ON; CREATE TABLE effects (event TEXT NOT NULL);
  CREATE TABLE accounts (id TEXT PRIMARY KEY);
  CREATE TABLE entries (account TEXT REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED)`

/** What a write may do to the transaction of the store, and what the error of its event says. */
const misuses: readonly (readonly [does: string, sql: string])[] = [
  ['commits it', 'COMMIT'],
  ['rolls it back', 'ROLLBACK'],
  ['commits it and begins another one', 'COMMIT; BEGIN'],
  ['rolls it back and begins another one', 'ROLLBACK; BEGIN'],
  ['releases its savepoint', 'RELEASE webhook_inbox_write'],
  ['releases both of its savepoints', 'RELEASE webhook_inbox_work; RELEASE webhook_inbox_write'],
  ['rolls back to its outer savepoint', 'ROLLBACK TO webhook_inbox_write'],
]

describe.each(drivers)('on %s, a write through tx', (_, open) => {
  async function newStore() {
    const database: SqliteDatabase = open(newFile())
    const store = sqliteStore(database)
    await store.check()
    database.exec(tables)
    const count = (what: string) => ask(database, `SELECT count(*) FROM ${what}`)
    const effect = (event: string) => (db: SqliteDatabase) =>
      void db.prepare('INSERT INTO effects VALUES (?)').run(event)
    const writing = (...writes: ((db: SqliteDatabase) => void)[]) => {
      const event = newEvent()
      const outcome = store.once(event, async ({ tx }) => {
        for (const write of writes) {
          tx.write(write as never)
        }
      })
      return { event, outcome }
    }
    return { store, count, effect, writing }
  }

  test('that violates a constraint at the commit is a counted failure, and its neighbors are done', async () => {
    const { store, count, effect, writing } = await newStore()
    const bad = (db: SqliteDatabase) => void db.prepare("INSERT INTO entries VALUES ('nobody')").run()
    const runs = [writing(effect('a')), writing(effect('half'), bad), writing(effect('b'))] as const
    const [first, failed, last] = await Promise.allSettled(runs.map(({ outcome }) => outcome))
    expect([first?.status, last?.status]).toEqual(['fulfilled', 'fulfilled'])
    expect((failed as PromiseRejectedResult).reason).toBeInstanceOf(HandlerFailure)
    expect([count('effects'), count('entries')]).toEqual([2, 0])
    const stored = await store.inbox.read(runs[1].event.key)
    expect(stored).toMatchObject({ state: 'failed', lastError: expect.stringMatching(/foreign key/i) })
    const alone = writing(bad)
    await expect(alone.outcome).rejects.toThrow(HandlerFailure)
    expect((await store.inbox.read(alone.event.key))?.state).toBe('failed')
  })

  describe.each(misuses)('that %s', (_, sql) => {
    const misuse = (db: SqliteDatabase) => void db.exec(sql)

    test('is a counted failure, and its event is never done', async () => {
      const { store, writing, effect } = await newStore()
      const { event, outcome } = writing(effect('half'), misuse)
      await expect(outcome).rejects.toMatchObject({ cause: { code: 'transaction_misused' } })
      const stored = await store.inbox.read(event.key)
      expect(stored).toMatchObject({
        state: 'failed',
        lastError: expect.stringContaining('transaction_misused'),
      })
      const again = await store.once(event, async () => 'it ran again')
      expect(again).toMatchObject({ state: 'done', attempt: 2 })
    })

    test('and then throws leaves its event not done, with the error that it threw', async () => {
      const { store, writing } = await newStore()
      const error = new Error('the balance would be negative')
      const { event, outcome } = writing(misuse, () => {
        throw error
      })
      await expect(outcome).rejects.toMatchObject({ cause: error })
      expect((await store.inbox.read(event.key))?.state).toBe('failed')
    })

    test('does not fail its neighbors, and each of them has its effect once', async () => {
      const { count, effect, writing } = await newStore()
      const runs = [writing(effect('a')), writing(effect('b')), writing(misuse), writing(effect('c'))]
      const outcomes = await Promise.allSettled(runs.map(({ outcome }) => outcome))
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      expect(count('effects')).toBe(3)
      expect(count("webhook_inbox_events WHERE state = 'done'")).toBe(3)
    })
  })
})
