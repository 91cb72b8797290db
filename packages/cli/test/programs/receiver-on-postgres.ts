import { Pool } from 'pg'
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { migratePostgres, postgresStore } from 'webhook-inbox/stores/postgres'
import { describeFailure } from './describe-failure.js'

console.log('this program logs when it is loaded')

const pool = new Pool({ connectionString: process.env.INBOX_POSTGRES })

const { INBOX_SCHEMA: schema } = process.env

/** Forgets the schema of the store. */
export const migrate = () => migratePostgres(pool)

/** As the program on SQLite: fails every failed transfer, as long as it is not told to be well. */
export const receiver = createReceiver({
  secret: 'whsec_of_the_inbox_tests',
  endpoint: 'payments',
  store: postgresStore({ pool, ...(schema && { schema }) }),
  queue: localQueue({ retry: { attempts: 1 }, pollSeconds: 0.1 }),
  inexactNumbers: process.env.ROUNDS_NUMBERS ? 'round' : 'refuse',
  handlers: {
    'transfer.settled': () => {},
    async 'transfer.failed'({ data }) {
      if (!process.env.IS_WELL) {
        throw new Error(describeFailure(data.transferId))
      }
    },
  },
  logger: false,
})
