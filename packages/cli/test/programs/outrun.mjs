// A program in which another operator is always faster: whatever it checks again has left the quarantine by then.
import Libsql from 'libsql'
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

const file = process.env.INBOX_DATABASE

export const receiver = createReceiver({
  secret: 'whsec_of_the_inbox_tests',
  endpoint: 'payments',
  store: sqliteStore(file),
  queue: localQueue(),
  inexactNumbers: 'round',
  // The receiver calls it for each delivery that fits now, before it takes the delivery.
  resource() {
    const other = new Libsql(file)
    other.exec('DELETE FROM webhook_inbox_quarantine')
    other.close()
    return undefined
  },
  fallback() {},
  logger: false,
})
