/**
 * Runs every law of a store and an inbox through the store of an example: `joined-laws.mjs typeorm URL`. Prints the laws
 * that fail, and how many hold. The tests copy it beside the installed example.
 */
import pg from 'pg'
import { migratePostgres } from 'webhook-inbox/stores/postgres'
import { inboxSuite, storeSuite } from 'webhook-inbox/testing'

const [, , library, url] = process.argv
const laws = []
const test = (name, run) => laws.push({ name, run })

const pool = new pg.Pool({ connectionString: url })
await migratePostgres(pool)
await pool.query('CREATE TABLE words (word text)')
const written = async () => (await pool.query('SELECT word FROM words')).rows.map(({ word }) => word)

const libraries = {
  async typeorm() {
    const { connect, typeormStore } = await import('./examples/typeorm-transaction/store.ts')
    const db = await connect(url)
    return {
      makeStore: () => typeormStore(db),
      write: (tx, word) => tx.query('INSERT INTO words VALUES ($1)', [word]),
    }
  },
  async prisma() {
    const { connect, prismaStore } = await import('./examples/prisma-transaction/store.ts')
    const db = connect(url)
    return {
      makeStore: () => prismaStore(db),
      write: (tx, word) => tx.$executeRaw`INSERT INTO words VALUES (${word})`,
    }
  },
}

/** Why: test/stores/postgres-joined.test.ts. */
const exempt = new Set([
  'an event whose holder died is free when its lease expires, not earlier',
  'a holder that lost its claim cannot mark the event done',
  'a holder that lost its claim and fails does not free the event',
])

const { makeStore, write } = await libraries[library]()
storeSuite(test, makeStore)
inboxSuite(test, makeStore, { write, written })

const run = laws.filter(({ name }) => !exempt.has(name))
let failed = 0
for (const law of run) {
  try {
    await law.run()
  } catch (error) {
    failed++
    console.log(`failed: ${law.name}: ${error.stack}`)
  }
}
console.log(`${run.length - failed} of ${run.length} laws hold, ${laws.length - run.length} exempt`)
// The clients of the libraries are still open.
process.exit(failed > 0 ? 1 : 0)
