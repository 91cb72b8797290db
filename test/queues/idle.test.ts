import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { postgresRig } from '../stores/postgres-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { observed, open } from '../stores/sqlite-rig.js'

const rig = postgresRig()
const audit = { reason: 'the ledger is down', actor: 'suite' }

/** What the process under test asked its database. */
let statements: string[] = []
const note = (sql: string) => void statements.push(sql)

/** The store of the process under test, and that of another process on the same inbox. */
interface Place {
  readonly store: object
  readonly other: object
}

const places: Readonly<Record<string, () => Place>> = {
  Postgres() {
    const pool = rig.pool({ idleTimeoutMillis: 0 })
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown
      const noted = (...args: [string | { text: string }, ...unknown[]]) => {
        note(typeof args[0] === 'string' ? args[0] : args[0].text)
        return query(...args)
      }
      Object.assign(client, { query: noted })
    })
    return { store: postgresStore({ pool }), other: rig.store() }
  },
  SQLite() {
    const path = newFile()
    // A statement of SQLite is no round trip, but each commit waits for the disk.
    const noteCommit = (sql: string) => sql === 'COMMIT' && note(sql)
    return { store: sqliteStore(observed(open(path), noteCommit)), other: sqliteStore(path) }
  },
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closing.splice(0).reverse()) {
    await close()
  }
})
afterAll(removeFiles)

function receiverOf(store: object, endpoint: string, ran: string[] = []): Receiver {
  // Pruning asks six times an hour.
  const options = { secret: testSecret, endpoint, pruneEverySeconds: false, logger: false }
  const fallback = ({ id }: { id: string }) => void ran.push(id)
  return createReceiver({
    ...options,
    store,
    queue: localQueue({ retry: { attempts: 1 } }),
    fallback,
  } as never)
}

const realTimeout = setTimeout

/** Lets so many seconds pass for every timer. After each second the store has time to reply. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    await vi.advanceTimersByTimeAsync(1000 * Math.min(1, left))
    await new Promise((resolve) => realTimeout(resolve, 10))
  }
}

describe.each(Object.entries(places))('an idle process with localQueue on %s', (_, place) => {
  test('asks less than ten times a minute, and begins a bulk run of another process with a beat', async () => {
    const { store, other } = place()
    const ran: string[] = []
    const endpoint = randomUUID()
    const receiver = receiverOf(store, endpoint, ran)
    const operator = receiverOf(other, endpoint)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await receiver.start()
    closing.push(() => receiver.stop())
    const { eventId } = await testSender({ receiver }).send('transfer.settled')
    await expect.poll(() => ran).toEqual([eventId])
    await pass(25)

    statements = []
    await pass(60)
    expect(statements.length, statements.join('\n')).toBeLessThan(10)
    expect(statements.length).toBeGreaterThan(0)

    const plan = await operator.plan({ action: 'replay', where: { state: 'done' } } as never)
    expect(plan.count).toBe(1)
    const run = await operator.run(plan, { ...audit, canary: 0 })
    await pass(20)
    // The run has begun. How long it takes depends on the machine, so the timers hardly move while it goes on.
    for (let i = 0; i < 3000 && (await run.progress()).state === 'running'; i++) {
      await pass(0.001)
    }
    expect((await run.progress()).state).toBe('done')
  })
})
