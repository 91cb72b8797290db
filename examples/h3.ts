/** h3 on Node. `event.req` is a WHATWG Request, so the same handler serves every preset of Nitro. */
import { createServer } from 'node:http'
import { H3, toNodeHandler } from 'h3'
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
const app = new H3()
app.all('/webhooks', (event) => receive(event.req))

const server = createServer(toNodeHandler(app))
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close(() => receiver.stop()))
