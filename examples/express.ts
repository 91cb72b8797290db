/** Express 5 or 4. */
import express from 'express'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'
import { origin, port, secret } from './environment.js'

const receiver = createReceiver({
  secret,
  store: memoryStore(), // for one process; redisStore for more than one
  handlers: {
    async 'transfer.settled'({ data }) {
      console.log(`credit ${data.transferId}`)
    },
    async 'transfer.failed'({ data }) {
      console.log(`reverse ${data.transferId}`)
    },
  },
})
await receiver.start()

const app = express()
// Mount it before express.json(): the signature covers the exact bytes, and a parser would consume them.
app.all('/webhooks', expressHandler(receiver))
app.use(express.json())
app.post('/echo', (request, response) => {
  response.json(request.body)
})

const server = app.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close(() => receiver.stop()))
