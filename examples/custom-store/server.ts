/** A receiver on your own store. laws.test.ts runs the laws of a store on it. */
import { createServer } from 'node:http'
import { createReceiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { origin, port, secret } from '../environment.js'
import { mapStore } from './map-store.js'

const receiver = createReceiver({
  secret,
  store: mapStore(),
  handlers: {
    async 'transfer.settled'({ data }) {
      console.log(`credit ${data.transferId}`)
    },
  },
})
await receiver.start()

const server = createServer(nodeHandler(receiver))
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close(() => receiver.stop()))
