/** Fastify 5. */
import { fastify } from 'fastify'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { fastifyPlugin } from 'webhook-inbox/fastify'
import { origin, port, secret } from './environment.js'

const receiver = createReceiver({
  secret,
  store: memoryStore(), // for one process; redisStore for more than one
  handlers: {
    async 'transfer.settled'({ data }) {
      console.log(`credit ${data.transferId}`)
    },
  },
})
await receiver.start()

const app = fastify()
await app.register(fastifyPlugin, { receiver, path: '/webhooks' })
// Other routes keep Fastify’s own body parser.
app.post('/echo', async (request) => request.body)

await app.listen({ port })
console.log(`listening on ${origin(app.server)}/webhooks`)
process.once('SIGTERM', () => app.close().then(() => receiver.stop()))
