import { afterAll, expect, test } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { observed, open } from './sqlite-rig.js'

afterAll(removeFiles)

test('pruning on SQLite reads the events that it may delete, and not all that are done', async () => {
  const database = open(newFile())
  const deletes: string[] = []
  const store = sqliteStore(observed(database, (sql) => sql.includes('DELETE FROM') && deletes.push(sql)))
  await store.check()
  await store.prune(new Date(), 100)
  const [forget] = deletes.filter((sql) => sql.includes("state = 'done'"))
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${forget}`).all(1, 1, 1) as { detail: string }[]
  const search = steps.map(({ detail }) => detail).find((detail) => detail.includes('INDEX webhook_inbox'))
  expect(search).toContain('webhook_inbox_events_done (forget_at<?)')
  expect(steps.map(({ detail }) => detail).join()).not.toContain('ORDER BY')
  await store.close()
  database.close()
})
