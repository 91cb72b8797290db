import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConfigurationError, StoreError } from '../../src/errors.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { migrations } from '../../src/stores/sqlite/sqlite-migrations.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { ask, newEvent, nothing, open } from './sqlite-rig.js'

afterAll(removeFiles)
afterEach(() => {
  vi.useRealTimers()
})

const refusal = (code: string) => expect.objectContaining({ name: 'ConfigurationError', code })
const events = (database: SqliteDatabase) => ask(database, 'SELECT count(*) FROM webhook_inbox_events')

describe('the settings of the database', () => {
  test('are set, and read back', async () => {
    const database = open(newFile())
    database.exec('PRAGMA synchronous = OFF')
    const guarantee = await sqliteStore(database).check()
    expect(ask(database, 'PRAGMA synchronous')).toBe(2)
    expect(ask(database, 'PRAGMA journal_mode')).toBe('wal')
    expect(ask(database, 'PRAGMA busy_timeout')).toBeLessThanOrEqual(50)
    expect(guarantee.store).toMatch(/^sqlite 3\./)
  })

  test('synchronous may be stricter, but a handle with a weaker setting is rejected', async () => {
    const database = open(newFile())
    const stubborn = (level: number): SqliteDatabase => ({
      exec: (sql) => (sql.includes('synchronous') ? undefined : database.exec(sql)),
      prepare: (sql) => database.prepare(sql === 'PRAGMA synchronous' ? `SELECT ${level}` : sql),
      close: () => database.close(),
    })
    await expect(sqliteStore(stubborn(1)).check()).rejects.toEqual(refusal('store_volatile'))
    await expect(sqliteStore(stubborn(3)).check()).resolves.toBeDefined()
  })

  test.each(['', ':memory:'])('a path that is no file is rejected: %j', (path) => {
    expect(() => sqliteStore(path)).toThrow(refusal('store_volatile'))
  })

  test('an in-memory handle is rejected', async () => {
    await expect(sqliteStore(open(':memory:')).check()).rejects.toEqual(refusal('store_volatile'))
  })

  test('a read-only handle is rejected', async () => {
    const path = newFile()
    open(path).exec('CREATE TABLE theirs (id TEXT)')
    const database = open(path)
    database.exec('PRAGMA query_only = ON')
    await expect(sqliteStore(database).check()).rejects.toEqual(refusal('store_unsupported'))
  })

  test('an asynchronous handle is rejected', async () => {
    const { Database } = createRequire(import.meta.url)('libsql/promise') as {
      Database: new (path: string) => SqliteDatabase
    }
    const handle = typeof Database === 'function' ? new Database(newFile()) : undefined
    const asynchronous = handle ?? {
      exec: async () => {},
      prepare: () => ({ all: async () => [], run: async () => ({ changes: 0 }) }),
      close: () => {},
    }
    await expect(sqliteStore(asynchronous as never).check()).rejects.toBeInstanceOf(ConfigurationError)
  })

  test.each([undefined, null, 5, {}, { exec() {}, prepare() {} }])(
    '%j is neither a path nor a handle',
    (source) => {
      expect(() => sqliteStore(source as never)).toThrow(refusal('invalid_option'))
    },
  )

  test.each([undefined, null])('%j is named, with its likely cause', (source) => {
    expect(() => sqliteStore(source as never)).toThrow(
      `the first argument of sqliteStore is ${source}; likely cause: an environment variable that is not set`,
    )
  })

  test('options are checked', () => {
    expect(() => sqliteStore('x.db', { busySecond: 1 } as never)).toThrow(refusal('unknown_option'))
    for (const busySeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1'] as number[]) {
      expect(() => sqliteStore('x.db', { busySeconds })).toThrow(refusal('invalid_option'))
    }
  })

  test('a file that is not a database is rejected', async () => {
    const path = newFile()
    writeFileSync(path, 'this is not a database, but it is long enough to be taken for one. '.repeat(50))
    await expect(sqliteStore(path).check()).rejects.toEqual(refusal('store_unsupported'))
  })

  test('a missing directory is named as the cause', async () => {
    await expect(sqliteStore(join(newFile(), 'missing', 'inbox.db')).check()).rejects.toThrow('directory')
  })

  test('the first process creates the tables, and tables of a newer version are not changed', async () => {
    const path = newFile()
    await Promise.all(Array.from({ length: 8 }, () => sqliteStore(path).check()))
    const database = open(path)
    expect(database.prepare('SELECT version FROM webhook_inbox_schema').all()).toMatchObject(
      migrations.map((_, index) => ({ version: index + 1 })),
    )
    database.exec(
      'INSERT INTO webhook_inbox_schema VALUES (99); ALTER TABLE webhook_inbox_events ADD COLUMN x TEXT',
    )
    const store = sqliteStore(path)
    expect(await store.inbox.accept(newEvent(), nothing)).toEqual({ state: 'accepted' })
  })

  test('close commits waiting events and closes only handles that the store opened', async () => {
    const path = newFile()
    const database = open(path)
    const [own, foreign] = [sqliteStore(path), sqliteStore(database)]
    for (const store of [own, foreign]) {
      await store.check()
      const waiting = store.inbox.accept(newEvent(), nothing)
      await new Promise(setImmediate)
      await store.close()
      await store.close()
      await waiting
      await expect(store.inbox.accept(newEvent(), nothing)).rejects.toThrow('the store is closed')
      await expect(store.inbox.health()).rejects.toThrow(StoreError)
    }
    expect(events(database)).toBe(2)
  })
})

describe('another process that writes', () => {
  test('is waited for without blocking the event loop', async () => {
    const path = newFile()
    const store = sqliteStore(path)
    await store.check()
    const other = open(path)
    other.exec('BEGIN IMMEDIATE')
    const ticks: number[] = []
    const ticker = setInterval(() => ticks.push(performance.now()), 5)
    const accepts = Array.from({ length: 20 }, () => store.inbox.accept(newEvent(), nothing))
    await new Promise((resolve) => setTimeout(resolve, 600))
    other.exec('COMMIT')
    clearInterval(ticker)
    expect(await Promise.all(accepts)).toEqual(accepts.map(() => ({ state: 'accepted' })))
    expect(ticks.length).toBeGreaterThan(10)
    await store.close()
  })

  test('is waited for at most busySeconds, and later writes work', async () => {
    const path = newFile()
    const store = sqliteStore(path, { busySeconds: 0.2 })
    await store.check()
    const other = open(path)
    other.exec('BEGIN IMMEDIATE')
    const startedAt = performance.now()
    await expect(store.once(newEvent(), nothing)).rejects.toThrow(/store_unavailable: .*busySeconds/)
    expect(performance.now() - startedAt).toBeGreaterThan(190)
    expect((await store.inbox.health()).counts.accepted).toBe(0)
    other.exec('ROLLBACK')
    expect((await store.once(newEvent(), nothing)).state).toBe('done')
    await store.close()
  })
})

describe('a full disk', () => {
  test('gives 503, loses no acknowledged event, and recovers', async () => {
    const room = tinyDisk()
    onTestFinished(room.remove)
    const store = sqliteStore(room.source)
    const receiver = createReceiver({
      secret: testSecret,
      store,
      queue: localQueue(),
      fallback: () => {},
      logger: false,
    })
    await receiver.start({ consume: false })
    const sender = testSender<{ 'note.taken': { note: string } }>({ receiver })
    const note = { note: 'x'.repeat(3000) }
    const acknowledged: string[] = []
    const refused = new Set<number>()
    const send = async () => {
      const { status, delivery } = await sender.send('note.taken', note)
      if (status === 200) {
        acknowledged.push(delivery.event.id)
      } else {
        refused.add(status)
      }
    }
    for (let i = 0; i < 100 && refused.size === 0; i++) {
      await Promise.all(Array.from({ length: 20 }, send))
    }
    expect([...refused]).toEqual([503])
    expect(acknowledged.length).toBeGreaterThan(10)
    await expect(store.inbox.accept(newEvent({ body: new Uint8Array(100_000) }), nothing)).rejects.toThrow(
      'make room on the disk',
    )

    room.grow()
    const before = acknowledged.length
    await Promise.all(Array.from({ length: 20 }, send))
    expect(acknowledged.length).toBe(before + 20)
    for (const id of acknowledged) {
      expect((await receiver.inspect(id))?.state).toBe('accepted')
    }
    await receiver.stop()
    await store.close()
  })
})

/** A disk of 2 MiB, half of it filled, if this process may mount one. Otherwise a database with a size limit. */
function tinyDisk() {
  const directory = mkdtempSync(join(tmpdir(), 'webhook-inbox-disk-'))
  const removeDirectory = () => rmSync(directory, { recursive: true, force: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    const database = open(join(directory, 'inbox.db'))
    database.exec('PRAGMA max_page_count = 200')
    const grow = () => database.exec('PRAGMA max_page_count = 10000')
    return { source: database, grow, remove: removeDirectory }
  }
  const ballast = join(directory, 'ballast')
  writeFileSync(ballast, new Uint8Array(1 << 20))
  return {
    source: join(directory, 'inbox.db'),
    grow: () => rmSync(ballast),
    remove() {
      execFileSync('umount', ['-l', directory])
      removeDirectory()
    },
  }
}

describe('a clock that jumps', () => {
  const jump = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

  test('back by an hour delays an abandoned event by at most one lease', async () => {
    const database = open(newFile())
    const event = newEvent({ durations: { ...newEvent().durations, leaseSeconds: 0.5, workSeconds: 0.1 } })
    const never = new Promise<void>(() => {})
    void sqliteStore(database).once(event, () => never)
    const heir = sqliteStore(database)
    await vi.waitFor(async () => expect((await heir.once(event, nothing)).state).toBe('busy'))
    jump(-3600)
    const startedAt = performance.now()
    const offset = Date.now()
    await vi.waitFor(
      async () => {
        vi.setSystemTime(offset + (performance.now() - startedAt))
        expect((await heir.once(event, nothing)).state).toBe('done')
      },
      { timeout: 10_000, interval: 50 },
    )
    expect(performance.now() - startedAt).toBeGreaterThan(400)
  })

  test('back by an hour does not hide claimed events from the queue', async () => {
    const store = sqliteStore(newFile())
    const event = newEvent()
    const due = async () => (await store.inbox.due(10)).map(({ key }) => key)
    const now = Date.now()
    await store.inbox.accept(event, async () => {})
    jump(3600)
    void store.once(event, () => new Promise<void>(() => {}))
    await vi.waitFor(async () => expect(await due()).toEqual([]))
    vi.setSystemTime(now + 1000)
    expect(await due()).toEqual([event.key])
  })

  test('ahead by a year does not empty the table', async () => {
    const store = sqliteStore(newFile())
    const kept = [newEvent(), newEvent(), newEvent()]
    for (const event of kept) {
      await store.once(event, nothing)
    }
    const now = Date.now()
    jump(365 * 86_400)
    expect(await store.prune(new Date(Date.now() - 90 * 86_400_000), 1000)).toBe(0)
    for (const event of kept) {
      expect((await store.once(event, nothing)).state).toBe('duplicate')
    }

    // A real year later another event arrives, and the old events can be deleted.
    await store.once(newEvent(), nothing)
    expect(Date.now() - now).toBeGreaterThan(364 * 86_400_000)
    expect(await store.prune(new Date(Date.now() - 90 * 86_400_000), 2)).toBe(2)
    expect(await store.prune(new Date(Date.now() - 90 * 86_400_000), 1000)).toBe(1)
  })
})
