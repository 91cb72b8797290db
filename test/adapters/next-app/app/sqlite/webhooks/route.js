import { createReceiver } from 'webhook-inbox'
import { nextHandler } from 'webhook-inbox/next'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

// The drivers that the store may load contain binaries, and a bundler that finds them cannot build this file.
const store = sqliteStore(process.env.INBOX_DATABASE ?? 'inbox.sqlite')

export const POST = nextHandler(
  createReceiver({ secret: 'whsec_test_secret', store, fallback() {}, logger: false }),
)
