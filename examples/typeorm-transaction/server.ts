import { createServer } from 'node:http'
import pg from 'pg'
import { createReceiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { migratePostgres } from 'webhook-inbox/stores/postgres'
import { origin, port, required, secret } from '../environment.js'
import { connect, transfers, typeormStore } from './store.js'

const url = required('DATABASE_URL')

// A service does this during deployment, not on start.
const pool = new pg.Pool({ connectionString: url })
await migratePostgres(pool)
await pool.query('CREATE TABLE IF NOT EXISTS transfers (id text PRIMARY KEY, status text NOT NULL)')
await pool.end()

const db = await connect(url)

const receiver = createReceiver({
  secret,
  store: typeormStore(db),
  handlers: {
    async 'transfer.settled'({ data }, { tx }) {
      await tx.insert(transfers, { id: data.transferId, status: data.status })
      console.log(`credit ${data.transferId}`)
    },
    async 'transfer.failed'({ data }, { tx }) {
      await tx.insert(transfers, { id: data.transferId, status: 'failed' })
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
