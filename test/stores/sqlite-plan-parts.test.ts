import { afterAll, beforeEach, expect, test } from 'vitest'
import { mostPlanned } from '../../src/store/bulk-plan.js'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, open } from './sqlite-rig.js'

afterAll(removeFiles)

const endpoint = 'many'
const audit = { reason: 'a test', actor: 'suite' }

/** Events of one state, the first of them received first. */
const fill = (state: string) => `
  INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, endpoint, id, type, created_at,
    content_hash, body)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
  SELECT 'key ' || n, ${state}, 1, n, 0, '${endpoint}', 'evt_' || n, 'a', '', '', x'' FROM numbers`

let file: string
let database: SqliteDatabase
let store: ReturnType<typeof sqliteStore<SqliteDatabase>>
let bulk: BulkStore<never>

beforeEach(async () => {
  file = newFile()
  database = open(file)
  store = sqliteStore(database)
  bulk = store.inbox.bulk as BulkStore<never>
  await store.check()
  return async () => {
    await store.close()
    database.close()
  }
})

const count = (sql: string) => Number((database.prepare(sql).all() as { n: number }[])[0]?.n)
const held = () => count('SELECT count(*) AS n FROM webhook_inbox_plan_items')

/** Makes a plan, and calls `between` again and again until it is made. */
async function planAnd(plan: Parameters<BulkStore['makePlan']>[0], between: () => Promise<void>) {
  let isMade = false
  const making = bulk.makePlan(plan).finally(() => {
    isMade = true
  })
  while (!isMade) {
    await between()
  }
  return making
}

test('deliveries are accepted while a large plan is made, and do not join it', async () => {
  database.prepare(fill("'accepted'")).run(mostPlanned - 1000)
  const received: string[] = []
  const plan = await planAnd({ id: 'large', endpoint, action: 'giveUp', where: {} }, async () => {
    const event = newEvent({ endpoint })
    received.push(event.key)
    await store.inbox.accept(event)
  })
  expect(plan).toMatchObject({ count: mostPlanned - 1000, isCapped: false })
  expect(received.length).toBeGreaterThan(10)
  expect(count("SELECT count(*) AS n FROM webhook_inbox_plan_items WHERE key LIKE 'key of %'")).toBe(0)
})

test('a plan of which only a part is stored can be neither found nor run', async () => {
  database.prepare(fill("'dead'")).run(20_000)
  const seen: unknown[] = []
  await planAnd({ id: 'part', endpoint, action: 'replay', where: {} }, async () => {
    const parts = held()
    if (parts > 0 && parts < 20_000) {
      seen.push(
        await bulk.readPlan('part'),
        (await bulk.plans({ endpoint, limit: 10 })).length,
        await bulk.startRun({ id: 'early', plan: 'part', perSecond: 100, canary: 0 }, audit),
      )
    }
    await new Promise((resolve) => setImmediate(resolve))
  })
  expect(seen.length).toBeGreaterThan(0)
  expect(new Set(seen)).toEqual(new Set([undefined, 0]))
  expect(await bulk.startRun({ id: 'run', plan: 'part', perSecond: 100, canary: 0 }, audit)).toMatchObject({
    count: 20_000,
  })
})

test('an event whose state changes while the plan is made joins it once, in its order', async () => {
  database.prepare(fill("iif(n % 2, 'accepted', 'failed')")).run(5000)
  const swap = database.prepare(
    "UPDATE webhook_inbox_events SET state = iif(state = 'failed', 'accepted', 'failed')",
  )
  let swaps = 0
  const plan = await planAnd({ id: 'moving', endpoint, action: 'giveUp', where: {} }, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (held() > 0) {
      swap.run()
      swaps++
    }
  })
  expect(swaps).toBeGreaterThan(1)
  expect(plan.count).toBe(5000)
  expect(count('SELECT count(DISTINCT key) AS n FROM webhook_inbox_plan_items')).toBe(5000)
  const misplaced = "SELECT count(*) AS n FROM webhook_inbox_plan_items WHERE key <> 'key ' || place"
  expect(count(misplaced)).toBe(0)
})

test('a plan that was never finished is pruned, with what is stored of it', async () => {
  database.prepare(fill("'dead'")).run(20_000)
  const making = bulk.makePlan({ id: 'cut', endpoint, action: 'replay', where: {} })
  while (held() === 0) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  await store.close()
  await expect(making).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(held()).toBeLessThan(20_000)

  const next = sqliteStore(database)
  const after = next.inbox.bulk as BulkStore<never>
  expect(await after.readPlan('cut')).toBeUndefined()
  expect(await after.prunePlans(3600, 10)).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await after.prunePlans(0.001, 10)).toBe(1)
  expect(held()).toBe(0)
  expect(count('SELECT count(*) AS n FROM webhook_inbox_plans')).toBe(0)
  await next.close()
})
