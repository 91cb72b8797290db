import { createReceiver, memoryStore } from 'webhook-inbox'

export const receiver = createReceiver({
  // A function, because the build loads this file without the secret.
  secret: () => process.env.WEBHOOK_SECRET,
  store: memoryStore(), // for one process; redisStore or postgresStore for more than one
  handlers: {
    async 'transfer.settled'({ data }) {
      console.log(`credit ${data.transferId}`)
    },
  },
})
