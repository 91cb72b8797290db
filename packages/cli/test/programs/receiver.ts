import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { describeFailure } from './describe-failure.js'

// A program of a user: TypeScript that Node cannot run by itself, a relative import, a log line, an open handle.
enum Endpoint {
  Payments = 'payments',
}

console.log('this program logs when it is loaded')
setInterval(() => {}, 60_000)

/** Fails every failed transfer, as long as it is not told to be well. */
export const receiver = createReceiver({
  secret: 'whsec_of_the_inbox_tests',
  endpoint: Endpoint.Payments,
  store: sqliteStore(process.env.INBOX_DATABASE as string),
  queue: localQueue({ retry: { attempts: 1 }, pollSeconds: 0.1 }),
  resource: ({ data }) => (data as { transferId?: string }).transferId,
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

export const migrate = async () => console.log('migrated')

if (!process.env.WEBHOOK_INBOX_CLI) {
  await receiver.start()
}
