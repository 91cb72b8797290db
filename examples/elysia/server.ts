/** Elysia on Node. On Bun leave the adapter out. */
import { node } from '@elysiajs/node'
import { Elysia } from 'elysia'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { fetchHandler } from 'webhook-inbox/fetch'
import { port, secret } from '../environment.js'

const receiver = createReceiver({
  secret,
  store: memoryStore(), // for one process; redisStore or postgresStore for more than one
  handlers: {
    async 'transfer.settled'({ data }) {
      console.log(`credit ${data.transferId}`)
    },
  },
})
await receiver.start()

const receive = fetchHandler(receiver)
new Elysia({ adapter: node() })
  // Without `parse: 'none'` Elysia may read the body first.
  .all('/webhooks', ({ request }) => receive(request), { parse: 'none' })
  .post('/echo', ({ body }) => body)
  .listen(port, () => console.log(`listening on http://localhost:${port}/webhooks`))

// `app.stop()` throws with the Node adapter 1.4.5, so the process ends when the running handlers have.
process.once('SIGTERM', async () => {
  await receiver.stop()
  process.exit(0)
})
