import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { HandlerFailure, StoreError } from '../../src/errors.js'
import { type SqliteDatabase, type SqliteTx, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { ask, newEvent, nothing, open } from './sqlite-rig.js'

let database: SqliteDatabase
let store: ReturnType<typeof sqliteStore>
let path: string
beforeEach(async () => {
  path = newFile()
  database = open(path)
  store = sqliteStore(database)
  await store.check()
  database.exec('CREATE TABLE effects (event TEXT NOT NULL)')
})
afterAll(removeFiles)

const count = (table: string) => ask(database, `SELECT count(*) FROM ${table}`)
const settled = (promises: Promise<unknown>[]) =>
  Promise.allSettled(promises).then((all) => all.map(({ status }) => status))

/** Writes that a handler registers. */
const effect = (event: string) => (db: SqliteDatabase) =>
  void db.prepare('INSERT INTO effects VALUES (?)').run(event)

describe('writes of one turn of the event loop', () => {
  test('are acknowledged when a second connection to the file sees them', async () => {
    const other = open(path)
    const isThere = other.prepare('SELECT count(*) FROM webhook_inbox_events WHERE key = ?')
    const seen = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const event = newEvent()
        const { state } = await store.inbox.accept(event, nothing)
        return [state, Object.values(isThere.all(event.key)[0] as object)[0]]
      }),
    )
    expect(seen).toEqual(Array(50).fill(['accepted', 1]))
    other.close()
  })

  test('all run their events when claims arrive together', async () => {
    const events = Array.from({ length: 50 }, () => newEvent())
    const outcomes = await Promise.all(
      events.map((event) => store.once(event, async ({ tx }) => tx.write(effect(event.id)))),
    )
    expect(outcomes.map(({ state }) => state)).toEqual(Array(50).fill('done'))
    expect(count('effects')).toBe(50)
  })

  test('do not wait for each other when there are very many', async () => {
    const accepts = Array.from({ length: 2500 }, () => store.inbox.accept(newEvent(), nothing))
    await accepts[0]
    expect(count('webhook_inbox_events')).toBeLessThan(2500)
    await Promise.all(accepts)
    expect(count('webhook_inbox_events')).toBe(2500)
  })

  test('one failing write does not affect the others', async () => {
    database.exec(`CREATE TRIGGER bad BEFORE INSERT ON webhook_inbox_events WHEN new.type = 'bad'
      BEGIN SELECT RAISE(ABORT, 'no room for that'); END`)
    const types = ['good', 'bad', 'good', 'bad', 'good']
    const accepts = types.map((type) => store.inbox.accept(newEvent({ type }), nothing))
    expect(await settled(accepts)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
    await expect(accepts[1]).rejects.toThrow(StoreError)
    expect(count('webhook_inbox_events')).toBe(3)
  })

  test('a write of several steps that the disk has no room for fails alone', async () => {
    const jobs = (event: ReturnType<typeof newEvent>) =>
      store.inbox.accept(event, async (tx) => tx.write(effect(event.id)))
    await store.inbox.accept(newEvent(), nothing)
    const room = 20
    database.exec(`PRAGMA max_page_count = ${Number(ask(database, 'PRAGMA page_count')) + room}`)
    const tooLarge = new Uint8Array(10 * room * Number(ask(database, 'PRAGMA page_size')))
    const accepts = [jobs(newEvent()), jobs(newEvent({ body: tooLarge })), jobs(newEvent())]
    expect(await settled(accepts)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await expect(accepts[1]).rejects.toThrow('full')
    expect([count('webhook_inbox_events'), count('effects')]).toEqual([3, 2])
  })

  test('a write that makes SQLite roll back fails alone, and no lost event is acknowledged', async () => {
    database.exec(`CREATE TRIGGER worse BEFORE INSERT ON webhook_inbox_events WHEN new.type = 'worse'
      BEGIN SELECT RAISE(ROLLBACK, 'all is lost'); END`)
    const types = ['good', 'worse', 'good']
    const accepts = types.map((type) => store.inbox.accept(newEvent({ type }), nothing))
    expect(await settled(accepts)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(count('webhook_inbox_events')).toBe(2)
    await store.inbox.accept(newEvent(), nothing)
    expect(count('webhook_inbox_events')).toBe(3)
  })

  test('a write that violates a constraint at the commit fails alone', async () => {
    database.exec(`PRAGMA foreign_keys = ON; CREATE TABLE accounts (id TEXT PRIMARY KEY);
      CREATE TABLE entries (account TEXT REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED)`)
    const bad = (db: SqliteDatabase) => void db.prepare("INSERT INTO entries VALUES ('nobody')").run()
    const outcomes = [effect('a'), bad, effect('b')].map((write) =>
      store.once(newEvent(), async ({ tx }) => tx.write(write)),
    )
    expect(await settled(outcomes)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect([count('effects'), count('entries')]).toEqual([2, 0])
    const done = "SELECT count(*) FROM webhook_inbox_events WHERE state = 'done'"
    expect(ask(database, done)).toBe(2)
  })

  test('a transaction that other code left open on the handle is not changed', async () => {
    database.exec("BEGIN; INSERT INTO effects VALUES ('theirs')")
    await expect(store.inbox.accept(newEvent(), nothing)).rejects.toThrow(StoreError)
    database.exec('COMMIT')
    expect([count('effects'), count('webhook_inbox_events')]).toEqual([1, 0])
    expect(await store.inbox.accept(newEvent(), nothing)).toEqual({ state: 'accepted' })
  })
})

describe('writes through tx', () => {
  const run = (event: ReturnType<typeof newEvent>, work: (tx: SqliteTx) => unknown) =>
    store.once(event, async ({ tx }) => {
      await work(tx)
    })

  test('commit together with the done mark, in order', async () => {
    const event = newEvent()
    const outcome = await run(event, (tx) => {
      tx.write(effect('first'))
      tx.write(effect('second'))
      expect(count('effects')).toBe(0)
    })
    expect(outcome.state).toBe('done')
    expect(database.prepare('SELECT event FROM effects').all()).toMatchObject([
      { event: 'first' },
      { event: 'second' },
    ])
  })

  test('are dropped when the handler rejects', async () => {
    const error = new Error('no')
    const failing = run(newEvent(), (tx) => {
      tx.write(effect('never'))
      throw error
    })
    await expect(failing).rejects.toBe(error)
    expect(count('effects')).toBe(0)
  })

  test('roll back with the mark when one throws, and count as a failure of the handler', async () => {
    const event = newEvent()
    const error = new Error('the balance would be negative')
    const neighbor = run(newEvent(), (tx) => tx.write(effect('neighbor')))
    const failing = run(event, (tx) => {
      tx.write(effect('half'))
      tx.write(() => {
        throw error
      })
    })
    const caught = await failing.catch((thrown: unknown) => thrown)
    expect(caught).toBeInstanceOf(HandlerFailure)
    expect((caught as HandlerFailure).cause).toBe(error)
    expect((await neighbor).state).toBe('done')
    expect(count('effects')).toBe(1)
    const stored = await store.inbox.read(event.key)
    expect([stored?.state, stored?.lastError]).toEqual(['failed', 'Error: the balance would be negative'])
    expect((await run(event, (tx) => tx.write(effect('whole')))).state).toBe('done')
    expect(count('effects')).toBe(2)
  })

  test('an event that is made dead while its handler runs stays dead when the handler fails', async () => {
    const event = newEvent()
    await store.inbox.accept(event, async () => {})
    const error = new Error('no')
    const failing = run(event, async () => {
      await store.inbox.markDead(event.key, 'given up')
      throw error
    })
    await expect(failing).rejects.toBe(error)
    expect((await store.inbox.read(event.key))?.state).toBe('dead')
  })

  test('must be synchronous and before the handler resolves', async () => {
    const event = newEvent()
    let late: SqliteTx | undefined
    const asynchronous = run(event, (tx) => {
      late = tx
      tx.write((async () => {
        throw new Error('nobody hears this')
      }) as never)
    })
    await expect(asynchronous).rejects.toMatchObject({
      cause: { message: 'what is passed to tx.write must be synchronous' },
    })
    expect(() => late?.write(effect('late'))).toThrow('after the handler had settled')
    expect((await run(event, () => {})).state).toBe('done')
    await expect(run(newEvent(), (tx) => tx.write('INSERT' as never))).rejects.toThrow(TypeError)
  })

  test('are dropped when the holder lost its claim', async () => {
    const event = newEvent({ durations: { ...newEvent().durations, leaseSeconds: 0.6, workSeconds: 0.2 } })
    let finish = () => {}
    const zombie = run(event, async (tx) => {
      tx.write(effect('zombie'))
      await new Promise<void>((resolve) => {
        finish = resolve
      })
    })
    await new Promise((resolve) => setTimeout(resolve, 700))
    const other = sqliteStore(database)
    const heir = await other.once(event, async ({ tx }) => tx.write(effect('heir')))
    expect(heir.state).toBe('done')
    finish()
    expect((await zombie).state).toBe('lost')
    expect(database.prepare('SELECT event FROM effects').all()).toMatchObject([{ event: 'heir' }])
  })

  test('belongs to one holder: an event that runs cannot be accepted, with or without a job', async () => {
    const event = newEvent()
    const outcome = await run(event, async () => {
      expect(await store.inbox.accept(event)).toMatchObject({ state: 'busy' })
      expect(await store.inbox.accept(event, nothing)).toMatchObject({ state: 'busy' })
    })
    expect(outcome.state).toBe('done')
    expect((await store.inbox.accept(event)).state).toBe('duplicate')
  })

  test('is not written by a holder whose lease had passed, and whose event was replayed', async () => {
    const event = newEvent()
    await store.inbox.accept(event, nothing)
    const outcome = await run(event, async (tx) => {
      tx.write(effect('replaced'))
      database.exec('UPDATE webhook_inbox_events SET lease_until = 0')
      expect(await store.inbox.requeue(event.key, { reason: 'a', actor: 'b' }, nothing)).toBe(1)
    })
    expect(outcome.state).toBe('lost')
    expect(count('effects')).toBe(0)
    expect(await store.inbox.read(event.key)).toMatchObject({ state: 'accepted', generation: 1 })
  })

  test('cannot end the transaction of other events', async () => {
    const writes = [effect('a'), (db: SqliteDatabase) => void db.exec('ROLLBACK'), effect('b')]
    const outcomes = writes.map((write) => run(newEvent(), (tx) => tx.write(write)))
    const states = await settled(outcomes)
    const done = ask(database, "SELECT count(*) FROM webhook_inbox_events WHERE state = 'done'")
    expect(done).toBe(states.filter((state) => state === 'fulfilled').length)
    expect(count('effects')).toBe(done)
  })
})
