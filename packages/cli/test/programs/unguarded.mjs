import { appendFileSync } from 'node:fs'
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

/** Starts as soon as a program imports it. Its handler leaves a trace. */
export const receiver = createReceiver({
  secret: 'whsec_of_the_inbox_tests',
  store: sqliteStore(process.env.INBOX_DATABASE),
  queue: localQueue({ pollSeconds: 0.05 }),
  fallback: ({ id }) => appendFileSync(`${process.env.INBOX_DATABASE}.ran`, id),
})
await receiver.start()
