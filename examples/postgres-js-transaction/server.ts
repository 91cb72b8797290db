/** The store uses the transactions of postgres.js, so the writes of a handler and the done mark commit together. */
import { createServer } from 'node:http'
import pg from 'pg'
import postgres from 'postgres'
import { createReceiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { migratePostgres, postgresStore } from 'webhook-inbox/stores/postgres'
import { origin, port, required, secret } from '../environment.js'

const connectionString = required('DATABASE_URL')
const sql = postgres(connectionString, { max: 13 })

// A service does this during deployment, not on start.
const pool = new pg.Pool({ connectionString })
await migratePostgres(pool)
await pool.query('CREATE TABLE IF NOT EXISTS transfers (id text PRIMARY KEY, status text NOT NULL)')
await pool.end()

const store = postgresStore<postgres.TransactionSql>({
  transaction: (work) => sql.begin(work),
  query: (tx, text, values) => tx.unsafe(text, values as postgres.ParameterOrJSON<never>[]),
})

const receiver = createReceiver({
  secret,
  store,
  handlers: {
    async 'transfer.settled'({ data }, { tx }) {
      await tx`INSERT INTO transfers ${tx({ id: data.transferId, status: data.status })}`
      console.log(`credit ${data.transferId}`)
    },
    async 'transfer.failed'({ data }, { tx }) {
      await tx`INSERT INTO transfers ${tx({ id: data.transferId, status: 'failed' })}`
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
    await sql.end()
  })
})
