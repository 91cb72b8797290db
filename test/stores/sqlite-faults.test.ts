import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, nothing, open } from './sqlite-rig.js'

afterAll(removeFiles)

afterEach(() => {
  vi.useRealTimers()
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

  test('is waited for at most busySeconds, and what was rejected is not written later', async () => {
    const path = newFile()
    const store = sqliteStore(path, { busySeconds: 0.2 })
    await store.check()
    const other = open(path)
    other.exec('BEGIN IMMEDIATE')
    const rejected = newEvent()
    await expect(store.inbox.accept(rejected, nothing)).rejects.toThrow(/busySeconds/)
    other.exec('ROLLBACK')
    await store.inbox.accept(newEvent(), nothing)
    expect(await store.inbox.read(rejected.key)).toBeUndefined()
    await store.close()
  })

  test('leaves it unknown whether a process runs events, because none can report', async () => {
    const path = newFile()
    const store = sqliteStore(path, { busySeconds: 0.2 })
    const queue = localQueue({})
    const receiver = createReceiver({ secret: testSecret, store, queue, async fallback() {}, logger: false })
    await receiver.start({ consume: false })
    onTestFinished(() => receiver.stop())
    await testSender({ receiver, secret: testSecret }).send('transfer.settled', {} as never, {
      id: 'evt_waits',
    })
    expect(await receiver.workers()).toEqual([])
    expect((await receiver.explain('evt_waits')).reason).toBe('no_worker')
    const other = open(path)
    other.exec('BEGIN IMMEDIATE')
    const isBusy = { code: 'store_unavailable', reason: 'busy' }
    await expect(receiver.workers()).rejects.toMatchObject(isBusy)
    await expect(receiver.explain('evt_waits')).rejects.toMatchObject(isBusy)
    other.exec('ROLLBACK')
    expect(await receiver.workers()).toEqual([])
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
    const claimedAt = performance.now()
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
    expect(performance.now() - claimedAt).toBeGreaterThan(400)
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
