import { afterAll, expect, test } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, open } from './sqlite-rig.js'

afterAll(removeFiles)

const endpoint = 'many'

/** Many events were received in the same millisecond. */
const fill = `
  INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, endpoint, id, type, created_at,
    content_hash, body)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
  SELECT state || ' ' || n, state, 1, 1 + n / 7, 0, '${endpoint}', 'evt_' || n, 'a', '', '', x''
  FROM numbers, (SELECT ? AS state)`

async function filled(counts: Readonly<Record<string, number>>) {
  const database = open(newFile())
  const store = sqliteStore(database)
  await store.check()
  for (const [state, count] of Object.entries(counts)) {
    database.prepare(fill).run(count, state)
  }
  return { database, store }
}

test.each([
  { accepted: 0, failed: 0, done: 0, dead: 0 },
  { accepted: 1, failed: 9_999, done: 10_000, dead: 10_001 },
  { accepted: 20_001, failed: 0, done: 53_210, dead: 3 },
])('counts each state exactly: %o', async (counts) => {
  const { database, store } = await filled(counts)
  const { counts: found, oldestUnprocessedSeconds } = await store.inbox.health()
  expect(found).toEqual({ ...counts, quarantined: 0 })
  const waits = counts.accepted + counts.failed > 0
  expect(oldestUnprocessedSeconds > 0).toBe(waits)
  await store.close()
  database.close()
})

test('deliveries are accepted while a large inbox is counted', async () => {
  const { database, store } = await filled({ done: 100_000 })
  let accepted = 0
  let isOver = false
  const counting = store.inbox.health().finally(() => {
    isOver = true
  })
  while (!isOver) {
    await store.inbox.accept(newEvent({ endpoint }))
    accepted += isOver ? 0 : 1
  }
  expect((await counting).counts.done).toBe(100_000)
  expect(accepted).toBeGreaterThan(1)
  await store.close()
  database.close()
})

test('an event that waits behind many replayed ones is the oldest', async () => {
  const { database, store } = await filled({ failed: 150 })
  const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000
  database.exec(`UPDATE webhook_inbox_events SET generation = 1;
    INSERT INTO webhook_inbox_replays (key, generation, reason, actor, replayed_at)
    SELECT key, 1, '', '', ${minutesAgo(2)} FROM webhook_inbox_events;`)
  const { inbox } = store
  const { statistics } = inbox
  if (!statistics) {
    throw new Error('SQLite keeps statistics')
  }
  const waited = async () => {
    const { oldestWaitingSeconds } = await statistics.read({
      allEndpoints: true,
      since: new Date(minutesAgo(60)),
      buckets: 1,
    })
    return [oldestWaitingSeconds, (await inbox.health()).oldestUnprocessedSeconds].map((seconds) =>
      Math.round(seconds / 60),
    )
  }
  expect(await waited()).toEqual([2, 2])
  await inbox.accept(newEvent({ endpoint }))
  database.exec(`UPDATE webhook_inbox_events SET received_at = ${minutesAgo(9)} WHERE state = 'accepted'`)
  expect(await waited()).toEqual([9, 9])
  database.exec("UPDATE webhook_inbox_events SET state = 'failed'")
  expect(await waited()).toEqual([9, 9])
  await store.close()
  database.close()
})
