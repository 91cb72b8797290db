import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { bundle, type Program } from '../setup/bundle.js'
import { postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

let program: Program
beforeAll(async () => {
  program = await bundle(join(import.meta.dirname, 'bulk-process.ts'))
})
afterAll(() => {
  program.remove()
  removeFiles()
})

/** How many events a run has. */
const count = process.env.LONG ? 10_000 : 3000
const audit = { reason: 'the bank was down', actor: 'an operator' }

async function startProcess(kind: string, address: string) {
  const child = fork(program.path, [kind, address])
  await once(child, 'message')
  return async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

const receiverOf = (store: never): Receiver =>
  createReceiver({
    secret: 'whsec_0123456789abcdef',
    store,
    queue: localQueue(),
    logger: false,
    fallback: () => {},
  } as never)

/** Starts two processes on one run, and kills the one that works on it in the middle. */
async function runThroughDeath(receiver: Receiver, kind: string, address: string): Promise<void> {
  const plan = await receiver.plan({ action: 'replay' })
  expect(plan.count).toBe(count)
  const run = await receiver.run(plan, { ...audit, canary: 0, perSecond: 1_000_000 })
  const first = await startProcess(kind, address)
  const applied = async () => (await run.progress()).applied
  await expect.poll(applied, { timeout: 60_000, interval: 20 }).toBeGreaterThan(200)
  await first()
  const left = await run.progress()
  expect(left.remaining).toBeGreaterThan(0)
  const ends = [await startProcess(kind, address), await startProcess(kind, address)]
  const { state, applied: total, skipped, failed } = await run.finished()
  await Promise.all(ends.map((end) => end()))
  expect({ state, total, skipped, failed }).toEqual({ state: 'done', total: count, skipped: {}, failed: 0 })
}

describe('a bulk run whose process is killed', () => {
  test('is resumed by another process on SQLite, and changes each event once', async () => {
    const path = newFile()
    // A process must not have one file open with two libraries: each releases the locks of the other.
    const first = sqliteStore(path)
    await first.check()
    await first.close()
    const database = open(path)
    database.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO webhook_inbox_events (state, queued, key, received_at, due_at, endpoint, id, type, created_at,
        content_hash, body) SELECT 'dead', 1, 'key ' || i, i, i, 'default', 'evt_' || i, 'type', '', 'hash', x'00' FROM n`)
    database.close()
    const store = sqliteStore(path)
    await runThroughDeath(receiverOf(store as never), 'sqlite', path)
    await store.close()
    const after = open(path)
    const ask = (sql: string) => after.prepare(sql).all()[0] as object
    expect(
      ask('SELECT count(*) AS n, max(generation) AS g, min(generation) AS l FROM webhook_inbox_events'),
    ).toMatchObject({ n: count, g: 1, l: 1 })
    expect(ask('SELECT count(*) AS n, count(DISTINCT key) AS k FROM webhook_inbox_replays')).toMatchObject({
      n: count,
      k: count,
    })
    expect(
      ask("SELECT count(*) AS n, count(DISTINCT key) AS k FROM webhook_inbox_audits WHERE action = 'replay'"),
    ).toMatchObject({ n: count, k: count })
    after.close()
  }, 240_000)

  const rig = postgresRig()
  test('is resumed by another process on Postgres, and changes each event once', async () => {
    await rig.sql(`
      INSERT INTO webhook_inbox.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued)
      SELECT 'key ' || i, 'default', 'evt_' || i, 'type', '', 'hash', '', 'dead', 1, true
      FROM generate_series(1, ${count}) AS i`)
    const store = postgresStore({ pool: rig.pool() })
    await runThroughDeath(receiverOf(store as never), 'postgres', rig.url)
    const [events] = await rig.sql(
      'SELECT count(*)::int AS n, max(generation) AS g, min(generation) AS l FROM webhook_inbox.events',
    )
    expect(events).toEqual({ n: count, g: 1, l: 1 })
    const [replays] = await rig.sql(
      'SELECT count(*)::int AS n, count(DISTINCT key)::int AS k FROM webhook_inbox.replays',
    )
    expect(replays).toEqual({ n: count, k: count })
  }, 240_000)
})
