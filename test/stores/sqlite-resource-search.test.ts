import { afterAll, expect, test } from 'vitest'
import { type Sql, searchSql, selectionSql } from '../../src/stores/sqlite/events/sqlite-search.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)

const ofResource = { endpoint: 'default', resource: 'account_1' }
const range = { after: { receivedAt: 1, seq: 1 }, newest: 100, limit: 10 }

test.each<[string, Sql | undefined]>([
  ['the first page', searchSql({ ...ofResource, state: 'dead' })],
  ['the next page', searchSql({ ...ofResource, state: 'dead', after: 'key' })],
  ['since a time', searchSql({ ...ofResource, state: 'dead', since: new Date() })],
  ['until a time', searchSql({ ...ofResource, state: 'dead', until: new Date(), order: 'newest' })],
  ['a plan', selectionSql(['dead'], ofResource, range)],
])('on SQLite a search for the dead events of a resource reads no other resource: %s', async (_, sql) => {
  const database = open(newFile())
  const store = sqliteStore(database)
  await store.check()
  const { text, values } = sql as Sql
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[]
  const searches = steps.map(({ detail }) => detail).filter((detail) => /resource|events_dead/.test(detail))
  expect(searches).not.toEqual([])
  for (const search of searches) {
    expect(search).toContain('webhook_inbox_events_resource (resource=? AND state=?')
  }
  await store.close()
  database.close()
})
