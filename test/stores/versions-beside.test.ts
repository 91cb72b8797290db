import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import type { Inbox } from '../../src/store/inbox.js'
import type { Store } from '../../src/store/store.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

/** What a program of any version exports. The earlier one has the types of its own version. */
interface Version {
  readonly createReceiver: typeof createReceiver
  readonly localQueue: typeof localQueue
  readonly migratePostgres: typeof migratePostgres
  readonly postgresStore: typeof postgresStore
  readonly sqliteStore: typeof sqliteStore
}

const current: Version = { createReceiver, localQueue, migratePostgres, postgresStore, sqliteStore }
let earlier: Version

/** Below node_modules, so that the program finds what it imports. */
const cache = join(import.meta.dirname, '../../node_modules/.cache')
let folder: string
beforeAll(async () => {
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(join(cache, 'earlier-'))
  const path = join(folder, 'program.mjs')
  // Made by scripts/keep-program.mjs. Its tables have version 3 on Postgres and 4 on SQLite.
  writeFileSync(path, gunzipSync(readFileSync(join(import.meta.dirname, 'earlier-program.mjs.gz'))))
  earlier = await import(pathToFileURL(path).href)
})
afterAll(() => {
  removeFiles()
  rmSync(folder, { recursive: true, force: true })
})

const rig = postgresRig()
const schema = 'beside'

type AnyStore = Store<unknown> & { readonly inbox: Inbox<unknown> }

/** Opens the tables of one place, and migrates them, as a program of a version does. */
const places = {
  SQLite() {
    const path = newFile()
    return {
      open: (of: Version) => of.sqliteStore(path) as AnyStore,
      migrate: async (of: Version) => {
        const store = of.sqliteStore(path)
        await store.check()
        await store.close()
      },
      async replays() {
        const database = open(path)
        const [row] = database.prepare('SELECT count(*) AS count FROM webhook_inbox_replays').all()
        database.close()
        return Number((row as { count: unknown }).count)
      },
    }
  },
  Postgres: () => ({
    open: (of: Version) => of.postgresStore({ pool: rig.pool({ max: 13 }), schema }) as AnyStore,
    migrate: (of: Version) => of.migratePostgres(rig.pool(), { schema }),
    replays: async () => (await rig.sql(`SELECT count(*)::int AS count FROM ${schema}.replays`))[0].count,
  }),
}

const audit = { reason: 'a test', actor: 'suite' }
const patiently = { timeout: 60_000, interval: 50 }

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close()
  }
})

/** A started program of a version. It notes what it runs and what it logs; `failed` events fail while `isDown`. */
async function start(of: Version, store: AnyStore) {
  const program = { isDown: false, ran: [] as string[], logged: [] as string[] }
  const log = (line: string) => void program.logged.push(line)
  const receiver: Receiver = of.createReceiver({
    secret: testSecret,
    store,
    queue: of.localQueue({ pollSeconds: 0.1, retry: { attempts: 1 }, onError: () => {} }),
    logger: { info() {}, warn: log, error: log },
    fallback({ id, type }: WebhookEvent) {
      program.ran.push(id)
      if (type === 'transfer.failed' && program.isDown) {
        throw new Error('the bank is down')
      }
    },
  } as never)
  await receiver.start()
  closing.push(async () => {
    await receiver.stop()
    await store.close()
  })
  const sender = testSender({ receiver })
  const send = async (type: string) => (await sender.send(type as 'transfer.settled')).eventId as string
  return Object.assign(program, { receiver, send })
}

describe.each(Object.entries(places))('programs of two versions on %s', (_, place) => {
  test('accept, run, replay and discard beside each other, and run each event once', async () => {
    const { open, migrate, replays } = place()
    await migrate(earlier)
    const old = await start(earlier, open(earlier))
    const first = await old.send('transfer.settled')
    await migrate(current)
    const now = await start(current, open(current))
    const stateOf = async (id: string, at = old) => (await at.receiver.inspect(id))?.state

    const ids = [first]
    for (let i = 0; i < 20; i++) {
      ids.push(await old.send('transfer.settled'), await now.send('transfer.settled'))
    }
    for (const id of ids) {
      await expect.poll(() => stateOf(id, now), patiently).toBe('done')
      expect(await stateOf(id)).toBe('done')
    }
    expect([...old.ran, ...now.ran].sort()).toEqual([...ids].sort())

    // They die in both versions. Then each version replays and discards what it finds.
    old.isDown = true
    now.isDown = true
    const dead: string[] = []
    for (let i = 0; i < 6; i++) {
      dead.push(await (i % 2 ? old : now).send('transfer.failed'))
    }
    for (const id of dead) {
      await expect.poll(() => stateOf(id), patiently).toBe('dead')
    }
    // The earlier version keeps no attempt, so of one that it made only the number is known.
    for (const id of dead) {
      const { attempts = [], attempt } = (await now.receiver.inspect(id)) ?? {}
      const errors = attempts.filter(({ lost }) => lost === undefined).map(({ error }) => error)
      expect(attempts.reduce((sum, { lost = 1 }) => sum + lost, 0)).toBeGreaterThanOrEqual(attempt as number)
      expect(errors).toEqual(errors.map(() => expect.stringContaining('the bank is down')))
      expect(errors.length === 0 || now.ran.includes(id), `who ran ${id}`).toBe(true)
    }
    for (const program of [old, now]) {
      program.isDown = false
      program.ran = []
    }
    const [byOld, byNow, goneByOld, goneByNow, ...rest] = dead as [
      string,
      string,
      string,
      string,
      ...string[],
    ]
    await old.receiver.replay(byOld, audit)
    await now.receiver.replay(byNow, audit)
    await old.receiver.discard(goneByOld, audit)
    await now.receiver.discard(goneByNow, audit)
    for (const id of [goneByOld, goneByNow]) {
      expect([await stateOf(id), await stateOf(id, now)]).toEqual([undefined, undefined])
    }
    expect((await old.receiver.list()).map(({ id }) => id)).not.toContain(goneByNow)

    const run = await now.receiver.run(await now.receiver.plan({ action: 'replay' }), { ...audit, canary: 0 })
    expect(await run.finished()).toMatchObject({ state: 'done', applied: rest.length })
    for (const id of [byOld, byNow, ...rest]) {
      await expect.poll(() => stateOf(id), patiently).toBe('done')
    }
    expect([...old.ran, ...now.ran].sort()).toEqual([byOld, byNow, ...rest].sort())

    expect(await replays(), 'the earlier version reads this table').toBe(2 + rest.length)

    await now.receiver.undo(goneByNow, audit)
    expect([await stateOf(goneByNow), await stateOf(goneByNow, now)]).toEqual(['dead', 'dead'])
    expect((await old.receiver.health()).counts).toMatchObject({ dead: 1, accepted: 0, failed: 0 })
    await old.receiver.prune()
    await now.receiver.prune()
    // Every start() on an old SQLite warns of it.
    const expected = /the bank is down|SQLite before/
    const troubles = [...old.logged, ...now.logged].filter((line) => !expected.test(line))
    expect(troubles).toEqual([])
  })
})

test('a program of this version rejects tables of the earlier one on Postgres, and names the fix', async () => {
  await earlier.migratePostgres(rig.pool(), { schema: 'not_migrated' })
  const store = postgresStore({ pool: rig.pool(), schema: 'not_migrated' })
  await expect(store.check()).rejects.toMatchObject({ code: 'store_not_migrated' })
  await store.close()
})
