import { describe, expect, test } from 'vitest'
import type { InboxState } from '../../src/store/inbox-event.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()
const many = 3000
const audit = { reason: 'a test', actor: 'a test' }

const insert = (schema: string, state: InboxState, first: number) => `
INSERT INTO ${schema}.events
  (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued, due_at, done_at, keep_until, resource, failure_group)
SELECT 'k' || i, 'default', 'k' || i, 'a.b', 'now', 'h', 'body', '${state}', 0, i % 2 = 0,
  CASE WHEN '${state}' IN ('accepted', 'failed') THEN now() END, CASE WHEN '${state}' = 'done' THEN now() END,
  CASE WHEN '${state}' = 'done' THEN now() + interval '1 day' END, CASE WHEN '${state}' IN ('accepted', 'failed') THEN 'r' || i END,
  CASE WHEN '${state}' IN ('failed', 'dead') THEN 'default:g' END
FROM generate_series(${first}, ${first + many - 1}) AS i`

/** A store whose statistics know no event in this state, while it has many. Later statistics come after minutes. */
async function surprised(state: InboxState) {
  const schema = `by_key_${state}`
  const pool = rig.pool({ max: 1, idleTimeoutMillis: 0 })
  await migratePostgres(pool, { schema })
  await pool.query(`ALTER TABLE ${schema}.events SET (autovacuum_enabled = off)`)
  await pool.query(insert(schema, state === 'done' ? 'dead' : 'done', 1))
  await pool.query(`VACUUM ANALYZE ${schema}.events`)
  await pool.query(insert(schema, state, many + 1))
  const event = (n: number) => newEvent({}, { key: `k${many + n}`, id: `k${many + n}`, contentHash: 'h' })

  async function entriesRead() {
    const rows = await rig.sql(
      `SELECT indexrelname AS name, idx_tup_read::int AS entries FROM pg_stat_user_indexes WHERE schemaname = $1`,
      [schema],
    )
    return new Map(rows.map(({ name, entries }) => [name, entries] as const))
  }

  return {
    store: postgresStore({ pool, schema }),
    event,
    /** The work read too many entries of these indexes. */
    async indexesRead(work: () => Promise<unknown>): Promise<string[]> {
      await pool.query('SELECT pg_stat_force_next_flush()')
      const before = await entriesRead()
      await work()
      await pool.query('SELECT pg_stat_force_next_flush()')
      const after = await entriesRead()
      return [...after].flatMap(([name, entries]) =>
        entries - (before.get(name) ?? 0) >= many / 2 ? [name] : [],
      )
    },
  }
}

/** Works on one event by its key. It may not read the events that share its state, of which there may be a million. */
describe('one event is found by its key, whatever the statistics say', () => {
  test.each<[InboxState, string, (of: Awaited<ReturnType<typeof surprised>>) => Promise<unknown>]>([
    [
      'accepted',
      'take',
      async ({ store, event }) => (await store.inbox.take?.(event(1), event(1).durations))?.claim.release(),
    ],
    [
      'accepted',
      'take in order',
      async ({ store, event }) => {
        const ordered = { ...event(1), resource: `r${many + 1}` }
        await (await store.inbox.take?.(ordered, ordered.durations))?.claim.release()
      },
    ],
    ['accepted', 'once', ({ store, event }) => store.once({ ...event(2), isKept: true }, async () => {})],
    ['accepted', 'accept again', ({ store, event }) => store.inbox.accept(event(3))],
    ['accepted', 'nextForResource', ({ store, event }) => store.inbox.nextForResource(event(3).key)],
    ['accepted', 'postpone', ({ store, event }) => store.inbox.postpone(event(4).key, 1, 'e')],
    ['accepted', 'markDead', ({ store, event }) => store.inbox.markDead(event(5).key, 'e')],
    ['failed', 'accept again', ({ store, event }) => store.inbox.accept(event(1))],
    ['failed', 'once', ({ store, event }) => store.once(event(3), async () => {})],
    ['failed', 'postpone', ({ store, event }) => store.inbox.postpone(event(4).key, 1, 'e')],
    ['failed', 'nextForResource', ({ store, event }) => store.inbox.nextForResource(event(4).key)],
    ['failed', 'acceptDead', ({ store, event }) => store.inbox.acceptDead(event(5), 'invalid_data', 'e')],
    [
      'dead',
      'requeue',
      ({ store, event }) =>
        store.inbox.requeue(event(1).key, audit, async () => {}, { state: 'dead', generation: 0 }),
    ],
    [
      'dead',
      'discard',
      ({ store, event }) => store.inbox.discard(event(2).key, audit, 60, { state: 'dead', generation: 0 }),
    ],
    [
      'dead',
      'undo',
      async ({ store, event }) => {
        await store.inbox.discard(event(3).key, audit, 60)
        await store.inbox.bulk?.undo({ key: event(3).key, endpoint: 'default' }, audit, 1)
      },
    ],
    [
      'dead',
      'edit',
      async ({ store, event }) => {
        const { id: parent, key: parentKey } = event(5)
        const from = { parent, parentKey, seen: { state: 'dead', generation: 0 }, copies: [] } as const
        await store.inbox.bulk?.acceptFrom(newEvent(), from, audit, async () => {})
      },
    ],
    ['dead', 'accept again', ({ store, event }) => store.inbox.accept(event(4))],
    [
      'done',
      'requeue',
      ({ store, event }) =>
        store.inbox.requeue(event(1).key, audit, async () => {}, { state: 'done', generation: 0 }),
    ],
    ['done', 'accept again', ({ store, event }) => store.inbox.accept(event(2))],
  ])('%s: %s', async (state, _verb, work) => {
    const of = await opened(state)
    expect(await of.indexesRead(() => work(of))).toEqual([])
  })

  test('done: the time of long work', async () => {
    const of = await opened('done')
    const event = newEvent()
    await of.store.inbox.accept(event)
    const read = await of.indexesRead(() =>
      of.store.once({ ...event, isKept: true }, () => new Promise((resolve) => setTimeout(resolve, 40))),
    )
    expect(read).toEqual([])
  })
})

const stores = new Map<InboxState, ReturnType<typeof surprised>>()

function opened(state: InboxState) {
  const store = stores.get(state) ?? surprised(state)
  stores.set(state, store)
  return store
}
