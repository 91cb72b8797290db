import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { migratePostgres, postgresMigrations, postgresStore } from '../../src/stores/postgres.js'
import { migrations } from '../../src/stores/sqlite/migrations/sqlite-migrations.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newEvent, postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)

const nothing = async () => {}
const about = { endpoint: 'transfers', resource: 'tr_1' }

/** The places of deliveries that the old program quarantines, while each one before is discarded. */
async function placesOfQuarantine(
  inbox: ReturnType<typeof sqliteStore>['inbox'],
  old: ReturnType<typeof open>,
) {
  const places: number[] = []
  for (const hash of ['a', 'b', 'c']) {
    old
      .prepare(
        `INSERT INTO webhook_inbox_quarantine (endpoint, content_hash, code, event_id, received_at, body)
         VALUES ('transfers', ?, 'invalid_json', NULL, ?, x'00') ON CONFLICT (endpoint, content_hash) DO UPDATE
         SET deliveries = deliveries + 1, event_id = coalesce(event_id, excluded.event_id)`,
      )
      .run(hash, Date.now())
    const [kept] = await inbox.quarantined({ endpoint: 'transfers' })
    places.push(kept?.place ?? 0)
    await inbox.discard(kept?.key ?? '', { reason: 'known', actor: 'suite' })
  }
  return places
}

describe('tables of the first version, with events and a running program of that version', () => {
  const rig = postgresRig()

  test('are upgraded in place on Postgres, and the old program still works', async () => {
    const pool = rig.pool()
    await rig.sql(postgresMigrations('old')[0]?.sql as string)
    /** The statements of the first version. */
    async function acceptThere(): Promise<string> {
      const key = randomUUID()
      await rig.sql(
        `INSERT INTO old.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued, due_at)
         VALUES ($1, 'transfers', $1, 'law.tried', '', 'hash', '', 'accepted', 0, true, now())`,
        [key],
      )
      return key
    }
    const finishThere = (key: string) =>
      rig.sql("UPDATE old.events SET state = 'done', done_at = now(), due_at = NULL WHERE key = $1", [key])

    const before = await acceptThere()
    const latest = postgresMigrations().at(-1)?.version
    expect(await migratePostgres(pool, { schema: 'old' })).toBe(latest)
    const store = postgresStore({ pool, schema: 'old' })
    await store.check()
    const { inbox } = store
    const dueKeys = async () => (await inbox.due(100)).map(({ key }) => key)
    const [first, second, third] = [newEvent({}, about), newEvent({}, about), newEvent({}, about)] as const
    for (const event of [first, second, third]) {
      await inbox.accept(event, nothing)
    }
    const after = await acceptThere()

    expect((await inbox.read(before))?.resource).toBeUndefined()
    expect(await dueKeys()).toEqual([before, first.key, after])
    await finishThere(first.key)
    expect(await dueKeys()).toEqual([before, second.key, after])
    expect((await store.once(second, nothing)).state).toBe('done')
    expect((await inbox.nextForResource(first.key))?.key).toBe(third.key)
    await finishThere(before)
    expect((await dueKeys()).sort()).toEqual([third.key, after].sort())
  })

  test('are upgraded in place on SQLite, and the statements of the old program still work', async () => {
    const path = newFile()
    const old = open(path)
    old.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000')
    old.exec(migrations[0] as string)
    old.exec('CREATE TABLE webhook_inbox_schema (version INTEGER NOT NULL)')
    old.exec('INSERT INTO webhook_inbox_schema VALUES (1)')
    const insert = old.prepare(
      `INSERT INTO webhook_inbox_events (state, queued, key, received_at, due_at, endpoint, id, type, created_at,
         content_hash, body) VALUES ('accepted', 1, ?, ?, ?, 'transfers', 'id', 'type', '', 'hash', x'00')`,
    )
    const finish = old.prepare("UPDATE webhook_inbox_events SET state = 'done', done_at = ? WHERE key = ?")
    function acceptThere(): string {
      const key = randomUUID()
      insert.run(key, Date.now(), Date.now())
      return key
    }
    const finishThere = (key: string) => finish.run(Date.now(), key)

    const before = acceptThere()
    const store = sqliteStore(path)
    await store.check()
    const { inbox } = store
    const dueKeys = async () => (await inbox.due(100)).map(({ key }) => key)
    const [first, second, third] = [newEvent({}, about), newEvent({}, about), newEvent({}, about)] as const
    for (const event of [first, second, third]) {
      await inbox.accept(event, nothing)
    }
    const after = acceptThere()

    expect((await inbox.read(before))?.resource).toBeUndefined()
    expect((await dueKeys()).sort()).toEqual([before, first.key, after].sort())
    finishThere(first.key)
    expect((await dueKeys()).sort()).toEqual([before, second.key, after].sort())
    expect((await store.once(second, nothing)).state).toBe('done')
    expect((await inbox.nextForResource(first.key))?.key).toBe(third.key)
    finishThere(before)
    expect((await dueKeys()).sort()).toEqual([third.key, after].sort())
    expect(await placesOfQuarantine(inbox, old)).toEqual([1, 2, 3])
    await store.close()
    old.close()
  })
})
