/** The receiver that servers and workers share. Servers accept events and workers run them. */
import pg from 'pg'
import PgBoss from 'pg-boss'
import { createReceiver, isEventOf } from 'webhook-inbox'
import { pgBossQueue } from 'webhook-inbox/queues/pg-boss'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { required, secret } from '../environment.js'

const connectionString = required('DATABASE_URL')
export const pool = new pg.Pool({ connectionString, max: 13, query_timeout: 30_000 }) // one client for each of ten handlers, and three more
export const boss = new PgBoss({ connectionString, schedule: false })
await boss.start()

export const receiver = createReceiver({
  secret,
  store: postgresStore({ pool }),
  queue: pgBossQueue({ boss, concurrency: 10 }),
  // Workers run one event of a transfer at a time. A failed event blocks the later ones.
  resource: (event) =>
    isEventOf(event, 'transfer.settled', 'transfer.failed') ? event.data.transferId : undefined,
  handlers: {
    async 'transfer.settled'({ data }, { tx }) {
      const credit = 'INSERT INTO credits (transfer, worker) VALUES ($1, $2)'
      await tx.query(credit, [data.transferId, process.pid])
    },
  },
})

/** Ends the process when all running handlers have ended. */
export async function close(): Promise<void> {
  await receiver.stop()
  await boss.stop({ graceful: false })
  await pool.end()
}
