import { createReceiver } from 'webhook-inbox'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

export default {
  receiver: createReceiver({
    secret: 'whsec_of_the_inbox_tests',
    endpoint: 'payments',
    store: sqliteStore(process.env.INBOX_DATABASE),
    fallback() {},
  }),
}
