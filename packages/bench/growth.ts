import { parseArgs } from 'node:util'
import { growthOfPostgres } from './growth/postgres.js'
import { growthOfRedis } from './growth/redis.js'
import { growthOfSqlite } from './growth/sqlite.js'

/**
 * What a delivery costs as the ids remembered grow, what a claim costs in a table of a million events, and what traffic
 * waits while a store forgets.
 *
 *     npm run bench -- growth             # every store, to a million
 *     npm run bench -- growth redis       # one of them
 *     npm run bench -- growth redis --large   # to ten million, best one store at a time: 50 GB of disk, 20 minutes
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
