import { createReceiver, memoryStore } from 'webhook-inbox'

/** For the route, and for instrumentation.ts. */
export const receiver = createReceiver({
  // A function, because `next build` also evaluates this module, possibly without the secret.
  secret: () => process.env.WEBHOOK_SECRET ?? '',
  store: memoryStore(), // for one process; redisStore for more than one
  handlers: {
    async 'transfer.settled'({ data }) {
      console.log(`credit ${data.transferId}`)
    },
  },
})
