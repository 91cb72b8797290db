// A program whose store keeps no audits and explains nothing.
import { createReceiver, memoryStore } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

const options = {
  secret: 'whsec_of_the_inbox_tests',
  endpoint: 'payments',
  fallback() {},
  logger: false,
}

const { audits, explain } = createReceiver({ ...options, store: memoryStore() })

export const receiver = {
  ...createReceiver({ ...options, queue: localQueue(), store: sqliteStore(process.env.INBOX_DATABASE) }),
  audits,
  explain,
}
