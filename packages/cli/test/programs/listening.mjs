import { createServer } from 'node:http'
import { createReceiver } from 'webhook-inbox'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

/** Listens when it is loaded, also for the command line. */
export const receiver = createReceiver({
  secret: 'whsec_of_the_inbox_tests',
  store: sqliteStore(process.env.INBOX_DATABASE),
  fallback() {},
})
await new Promise((listening) =>
  createServer().listen(Number(process.env.TAKEN_PORT), '127.0.0.1', listening),
)
