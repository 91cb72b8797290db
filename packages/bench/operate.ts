import { operateOnPostgres } from './operate/postgres.js'
import { operateOnSqlite } from './operate/sqlite.js'

/**
 * Measures what an operator asks of an inbox with a million events, of which a hundred thousand are dead: each list and
 * the groups of failures, and how long new events wait beside them.
 *
 * `npm run bench -- operate` measures both stores. `npm run bench -- operate sqlite` measures one. Add `--small` for a
 * hundredth of the events.
 */
const stores = { sqlite: operateOnSqlite, postgres: operateOnPostgres }

const [, , ...given] = process.argv
const isSmall = given.includes('--small')
const names = given.filter((each) => !each.startsWith('--'))
for (const [name, measure] of Object.entries(stores)) {
  if (names.length === 0 || names.includes(name)) {
    await measure(isSmall ? 10_000 : 1_000_000)
  }
}
