import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { spread } from '../../src/store/buckets.js'
import { latencyOf, mostTimed } from '../../src/store/statistics-store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)

/** A burst of done and dead events in one hour, and older ones that wait. Those before the last hundred are of another endpoint. */
const fill = `
  INSERT INTO webhook_inbox_events (key, state, queued, received_at, done_at, due_at, endpoint, id, type, created_at,
    content_hash, body)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
  SELECT 'key ' || n, CASE n % 3 WHEN 0 THEN 'done' WHEN 1 THEN 'dead' ELSE 'failed' END, 1, ? + n, ? + n, 0,
    iif(n > ?, 'mine', 'other'), 'evt_' || n, 'a', '', '', x'' FROM numbers`

const tenThousand =
  "SELECT count(*) FROM (SELECT endpoint FROM webhook_inbox_events WHERE state = 'done' LIMIT 10000)"

test.each([
  ['the busy endpoint', 'other'],
  ['an endpoint with the newest events', 'mine'],
  ['every endpoint', undefined],
])('while statistics are read of %s, deliveries wait only for a part of the events', async (_, endpoint) => {
  const database = open(newFile())
  let inTurn = 0
  const timed = (run: () => unknown[]) => {
    const startedAt = performance.now()
    try {
      return run()
    } finally {
      inTurn += performance.now() - startedAt
    }
  }
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    return {
      run: (...values: Parameters<typeof statement.run>) => statement.run(...values),
      all: (...values: Parameters<typeof statement.all>) => timed(() => statement.all(...values)),
    }
  }
  const store = sqliteStore({ exec: (sql: string) => database.exec(sql), close: () => {}, prepare })
  await store.check()
  const [count, now] = [30_000, Date.now()]
  database.prepare(fill).run(count, now - 3_000_000, now - 2_000_000, count - 100)

  /**
   * The longest time of all statements between two turns of the event loop. Each turn is measured in several runs. Its least time
   * counts, because others use the machine.
   */
  async function longestTurn(read: () => unknown) {
    const least: number[] = []
    for (let run = 0; run < 9; run++) {
      let [turns, isOver] = [0, false]
      const look = () => {
        if (inTurn > 0) {
          least[turns] = Math.min(least[turns] ?? Number.POSITIVE_INFINITY, inTurn)
          turns++
        }
        inTurn = 0
        isOver || setImmediate(look)
      }
      look()
      await read()
      isOver = true
      look()
    }
    return { milliseconds: Math.max(...least), turns: least.length }
  }
  const since = new Date(now - 3_600_000)
  const scope = endpoint === undefined ? { allEndpoints: true as const } : { endpoint }
  const longest = await longestTurn(() => store.inbox.statistics?.read({ ...scope, since, buckets: 1 }))
  const reference = prepare(tenThousand)
  // As many turns, because the longest of many is longer by chance.
  const longestReference = await longestTurn(async () => {
    for (let turn = 0; turn < longest.turns; turn++) {
      reference.all()
      await nextTurn()
    }
  })
  expect(longest.milliseconds / longestReference.milliseconds).toBeLessThan(2)
  await store.close()
  database.close()
})

test('statistics leave most of the time to deliveries', async () => {
  const database = open(newFile())
  let inStatements = 0
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    return {
      run: (...values: Parameters<typeof statement.run>) => statement.run(...values),
      all: (...values: Parameters<typeof statement.all>) => {
        const startedAt = performance.now()
        const found = statement.all(...values)
        inStatements += performance.now() - startedAt
        return found
      },
    }
  }
  const store = sqliteStore({ exec: (sql: string) => database.exec(sql), close: () => {}, prepare })
  await store.check()
  const [count, now] = [30_000, Date.now()]
  database.prepare(fill).run(count, now - 3_000_000, now - 2_000_000, count - 100)
  const query = { allEndpoints: true, since: new Date(now - 3_600_000), buckets: 60 } as const
  const shares: number[] = []
  for (let run = 0; run < 5; run++) {
    inStatements = 0
    const startedAt = performance.now()
    await Promise.all([store.inbox.statistics?.read(query), store.inbox.statistics?.read(query)])
    shares.push(inStatements / (performance.now() - startedAt))
  }
  expect(Math.min(...shares)).toBeLessThan(0.42)
  await store.close()
  database.close()
})

test('the parts of a bucket choose the same sample as the whole bucket, and read few rows for it', async () => {
  const database = open(newFile())
  let chosen = 0
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    return {
      run: (...values: Parameters<typeof statement.run>) => statement.run(...values),
      all: (...values: Parameters<typeof statement.all>) => {
        const found = statement.all(...values)
        chosen += sql.includes('AS rank') ? found.length : 0
        return found
      },
    }
  }
  const store = sqliteStore({ exec: (sql: string) => database.exec(sql), close: () => {}, prepare })
  await store.check()
  const [count, now] = [9000, Date.now()]
  database.prepare(fill).run(count, now - 3_000_000, now - 2_000_000, 0)
  database.exec('UPDATE webhook_inbox_events SET done_at = received_at + seq * seq')
  const since = new Date(now - 3_600_000)
  const statistics = await store.inbox.statistics?.read({ endpoint: 'mine', since, buckets: 1 })
  const sample = database
    .prepare(`
      SELECT seq FROM webhook_inbox_events WHERE state = 'done' ORDER BY ${spread('seq')} LIMIT ${mostTimed}`)
    .all() as { seq: number }[]
  const seconds = sample.map(({ seq }) => Number(seq) ** 2 / 1000)
  expect(sample).toHaveLength(mostTimed)
  expect(statistics?.latency).toEqual(latencyOf([{ seconds, events: count / 3 }]))
  expect(chosen).toBeLessThan(5 * mostTimed)
  await store.close()
  database.close()
})
