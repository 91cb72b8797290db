/** The store uses the transactions of Drizzle, so the writes of a handler and the done mark commit together. */
import { createServer } from 'node:http'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { createReceiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { migratePostgres, postgresStore } from 'webhook-inbox/stores/postgres'
import { origin, port, required, secret } from '../environment.js'

const transfers = pgTable('transfers', { id: text().primaryKey(), status: text().notNull() })

const pool = new pg.Pool({ connectionString: required('DATABASE_URL'), max: 13, query_timeout: 30_000 })
// Postgres may end idle connections, and those with an expired lease. Without this listener that ends the process.
pool.on('error', (error) => console.error(error.message))
pool.on('connect', (client) => client.on('error', () => {}))
const db = drizzle({ client: pool })
type Transaction = Parameters<Parameters<typeof db.transaction>[0]>[0]

// A service does this during deployment, not on start.
await migratePostgres(pool)
await db.execute(sql`CREATE TABLE IF NOT EXISTS transfers (id text PRIMARY KEY, status text NOT NULL)`)

/** Drizzle numbers the values itself, so the `$1` of the store become its parameters. */
const statement = (text: string, values: readonly unknown[]) =>
  sql.join(
    text
      .split(/\$(\d+)/)
      .map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`)),
  )

const store = postgresStore<Transaction>({
  transaction: (work) => db.transaction(work),
  query: async (tx, text, values) => (await tx.execute(statement(text, values))).rows,
})

const receiver = createReceiver({
  secret,
  store,
  handlers: {
    async 'transfer.settled'({ data }, { tx }) {
      await tx.insert(transfers).values({ id: data.transferId, status: data.status })
      console.log(`credit ${data.transferId}`)
    },
    async 'transfer.failed'({ data }, { tx }) {
      await tx.insert(transfers).values({ id: data.transferId, status: 'failed' })
      if (data.failureCode === 'bank_unreachable') {
        throw new Error('asked to fail, for the example')
      }
      console.log(`reverse ${data.transferId}`)
    },
  },
})
await receiver.start()

const server = createServer(nodeHandler(receiver))
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => {
  server.close(async () => {
    await receiver.stop()
    await pool.end()
  })
})
