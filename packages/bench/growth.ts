import { parseArgs } from 'node:util'
import { growthOfPostgres } from './growth/postgres.js'
import { growthOfRedis } from './growth/redis.js'
import { growthOfSqlite } from './growth/sqlite.js'

/**
 * Measures stores as they grow: the cost of a delivery per number of stored ids, and of a claim in a table of a million
 * events. Also measures how long traffic waits while a store prunes.
 *
 * `npm run bench -- growth` measures every store up to a million ids.
 * `npm run bench -- growth redis` measures one store.
 * `npm run bench -- growth redis --large` goes to ten million ids. It needs 50 GB of disk and 20 minutes per store.
 */
const stores = { sqlite: growthOfSqlite, redis: growthOfRedis, postgres: growthOfPostgres }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { large: { type: 'boolean', default: false }, small: { type: 'boolean', default: false } },
})
const steps = values.small ? [1e3, 1e4] : [1e4, 1e5, 1e6, ...(values.large ? [1e7] : [])]
for (const [name, measure] of Object.entries(stores)) {
  if (positionals.length === 0 || positionals.includes(name)) {
    await measure(steps)
  }
}
