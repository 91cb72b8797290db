/**
 * Rotates the secret without rejecting a delivery. Accept both secrets, switch the service to the new one, wait until its
 * retries are done, and remove the old one.
 */
import { createServer } from 'node:http'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { origin, port, secret } from './environment.js'

const previous = process.env.WEBHOOK_SECRET_OLD

const receiver = createReceiver({
  secret: previous ? [secret, previous] : secret,
  store: memoryStore(), // for one process; redisStore for more than one
  handlers: {
    async 'transfer.settled'({ data }) {
      console.log(`credit ${data.transferId}`)
    },
  },
})
await receiver.start()

const server = createServer(nodeHandler(receiver))
server.listen(port, () =>
  console.log(`listening on ${origin(server)}/webhooks, ${previous ? 'two secrets' : 'one secret'}`),
)
process.once('SIGTERM', () => server.close(() => receiver.stop()))
