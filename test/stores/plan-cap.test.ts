import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { mostPlanned } from '../../src/store/bulk-plan.js'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)

const more = mostPlanned + 1

/** As many dead events as a plan holds and one more; the failed and the accepted ones are as many together. */
const stateOf = `CASE WHEN n <= ${more} THEN 'dead' WHEN n <= ${more} + 250 THEN 'accepted' ELSE 'failed' END`

const places = {
  sqlite: 'SELECT count(*) AS held, max(place) AS last FROM webhook_inbox_plan_items WHERE plan = ?',
  postgres: `SELECT sum(cardinality(keys))::int AS held, max(first + cardinality(keys) - 1)::int AS last
    FROM webhook_inbox.plan_pages WHERE plan = $1`,
}

/** How many keys do not follow an older one. */
const disorder = `
  SELECT count(*)::int AS count FROM (
    SELECT n, lag(n) OVER (ORDER BY first, place) AS before FROM webhook_inbox.plan_pages,
      LATERAL (SELECT substr(key, 5)::int AS n, place FROM unnest(keys) WITH ORDINALITY AS k (key, place)) AS each
    WHERE plan = $1) AS pairs WHERE n <= before`

async function expectFull(bulk: BulkStore<never> | undefined, held: (plan: string) => Promise<unknown>) {
  for (const action of ['replay', 'giveUp'] as const) {
    const plan = await bulk?.makePlan({ id: action, endpoint: 'many', action, where: {} })
    expect(plan).toMatchObject({ count: mostPlanned, isCapped: true })
    expect(await held(action)).toEqual({ held: mostPlanned, last: mostPlanned })
  }
  const where = { until: new Date(0) }
  expect(await bulk?.makePlan({ id: 'none', endpoint: 'many', action: 'replay', where })).toMatchObject({
    count: 0,
    isCapped: false,
  })
  await pause(5)
  expect(await bulk?.prunePlans(0.001, 2)).toBe(2)
  expect(await bulk?.prunePlans(0.001, 2)).toBe(1)
  for (const id of ['replay', 'giveUp']) {
    expect(await held(id), 'nothing of a pruned plan is left').toMatchObject({ last: null })
  }
}

describe('a plan of more events than it holds keeps the first ones', () => {
  const rig = postgresRig()

  test('on SQLite', async () => {
    const database = open(newFile())
    const store = sqliteStore(database)
    await store.check()
    database
      .prepare(
        `INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, endpoint, id, type, created_at,
           content_hash, body)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 2 * ${more})
         SELECT 'key ' || n, ${stateOf}, 1, n, 0, 'many', 'evt_' || n, 'a', '', '', x'' FROM numbers`,
      )
      .run()
    await expectFull(store.inbox.bulk as BulkStore<never>, async (plan) => {
      const [row] = database.prepare(places.sqlite).all(plan) as { held: number; last: number | null }[]
      return { held: Number(row?.held), last: row?.last == null ? null : Number(row.last) }
    })
    await store.close()
  })

  test('on Postgres', async () => {
    const store = rig.store()
    await rig.sql(
      `INSERT INTO webhook_inbox.events (key, state, queued, attempt, due_at, endpoint, id, type, created_at, content_hash, body)
       SELECT 'key ' || n, ${stateOf}, true, 0, now(), 'many', 'evt_' || n, 'a', '', '', ''
       FROM generate_series(1, 2 * ${more}) AS n`,
    )
    await expectFull(store.inbox.bulk as BulkStore<never>, async (plan) => {
      const [row] = await rig.sql(places.postgres, [plan])
      const [order] = await rig.sql(disorder, [plan])
      expect(order, 'oldest first').toEqual({ count: 0 })
      return row
    })
    await store.close()
  })
})
