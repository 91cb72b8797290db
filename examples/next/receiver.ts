import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

const makeReceiver = () =>
  createReceiver({
    // A function, because `next build` also evaluates this module, possibly without the secret.
    secret: () => process.env.WEBHOOK_SECRET ?? '',
    store: sqliteStore(process.env.INBOX ?? 'inbox.sqlite'),
    queue: localQueue(),
    handlers: {
      async 'transfer.settled'({ data }) {
        console.log(`credit ${data.transferId}`)
      },
    },
  })

// Next bundles this module twice: for the route, and for instrumentation.ts. Both must use the same receiver.
const shared = globalThis as { receiver?: ReturnType<typeof makeReceiver> }
shared.receiver ??= makeReceiver()

export const { receiver } = shared
