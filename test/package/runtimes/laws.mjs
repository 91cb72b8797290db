/**
 * Runs every law of a store on another runtime, with the packed package and a driver of Node: `laws.mjs sqlite FILE`,
 * `laws.mjs postgres URL` or `laws.mjs redis URL`. Prints the laws that fail, and how many passed.
 */
import { inboxSuite, storeSuite } from 'webhook-inbox/testing'

const [, , kind, address] = process.argv
const laws = []
const test = (name, run) => laws.push({ name, run })

const register = {
  async sqlite() {
    const { sqliteStore } = await import('webhook-inbox/stores/sqlite')
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const database = new DatabaseSync(address)
    database.exec('CREATE TABLE words (word TEXT)')
    const makeStore = () => sqliteStore(address)
    storeSuite(test, makeStore)
    inboxSuite(test, makeStore, {
      write: (tx, word) => tx.write((open) => open.prepare('INSERT INTO words VALUES (?)').run(word)),
      written: () => database.prepare('SELECT word FROM words').all().map(wordOf),
    })
  },

  async postgres() {
    const { default: pg } = await import('pg')
    const { migratePostgres, postgresStore } = await import('webhook-inbox/stores/postgres')
    const pool = new pg.Pool({ connectionString: address, max: 20 })
    await migratePostgres(pool)
    await pool.query('CREATE TABLE words (word text)')
    const makeStore = () => postgresStore({ pool })
    storeSuite(test, makeStore)
    inboxSuite(test, makeStore, {
      write: (tx, word) => tx.query('INSERT INTO words VALUES ($1)', [word]),
      written: async () => (await pool.query('SELECT word FROM words')).rows.map(wordOf),
    })
  },

  async redis() {
    const { Redis } = await import('ioredis')
    const { redisStore } = await import('webhook-inbox/stores/redis')
    const client = new Redis(address)
    storeSuite(test, () => redisStore({ client }), { prunes: false })
  },
}

const wordOf = ({ word }) => word

await register[kind]()
let failed = 0
for (const { name, run } of laws) {
  try {
    await run()
  } catch (error) {
    failed++
    console.log(`failed: ${name}: ${error.stack}`)
  }
}
console.log(`${laws.length - failed} of ${laws.length} laws hold`)
// The clients of the drivers are still open.
process.exit(failed > 0 ? 1 : 0)
