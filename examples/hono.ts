/** Hono on Node. On Workers, Bun and Deno export the same app instead of serving it. */
import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { fetchHandler } from 'webhook-inbox/fetch'
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

const receive = fetchHandler(receiver)
const app = new Hono()
app.all('/webhooks', (context) => receive(context.req.raw))

const server = serve({ fetch: app.fetch, port }, () =>
  console.log(`listening on ${origin(server)}/webhooks`),
) as Server
process.once('SIGTERM', () => server.close(() => receiver.stop()))
