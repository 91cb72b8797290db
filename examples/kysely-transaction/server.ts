/** The store uses the transactions of Kysely, so the writes of a handler and the done mark commit together. */
import { createServer } from 'node:http'
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { createReceiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { migratePostgres, postgresStore, type Row } from 'webhook-inbox/stores/postgres'
import { origin, port, required, secret } from '../environment.js'

interface Tables {
  transfers: { id: string; status: string }
}

const pool = new pg.Pool({ connectionString: required('DATABASE_URL'), max: 13, query_timeout: 30_000 })
// Postgres may end idle connections, and those with an expired lease. Without this listener that ends the process.
pool.on('error', (error) => console.error(error.message))
pool.on('connect', (client) => client.on('error', () => {}))
const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

// A service does this during deployment, not on start.
await migratePostgres(pool)
await db.schema
  .createTable('transfers')
  .ifNotExists()
  .addColumn('id', 'text', (column) => column.primaryKey())
  .addColumn('status', 'text', (column) => column.notNull())
  .execute()

const store = postgresStore<Transaction<Tables>>({
  transaction: (work) => db.transaction().execute(work),
  query: async (trx, text, values) =>
    (await trx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows,
})

const receiver = createReceiver({
  secret,
  store,
  handlers: {
    async 'transfer.settled'({ data }, { tx }) {
      await tx.insertInto('transfers').values({ id: data.transferId, status: data.status }).execute()
      console.log(`credit ${data.transferId}`)
    },
    async 'transfer.failed'({ data }, { tx }) {
      await tx.insertInto('transfers').values({ id: data.transferId, status: 'failed' }).execute()
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
    await db.destroy()
  })
})
