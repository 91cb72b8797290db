import { operateOnPostgres } from './operate/postgres.js'
import { operateOnSqlite } from './operate/sqlite.js'

/**
 * Measures an operator’s reads of an inbox with a million events. A hundred thousand of them are dead. Also measures how
 * long new events wait beside these reads.
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
