/** Koa 3 with @koa/router. */
import { Router } from '@koa/router'
import Koa from 'koa'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { koaHandler } from 'webhook-inbox/koa'
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

const router = new Router()
router.all('/webhooks', koaHandler(receiver))

// Mount it before any body parser: the signature covers the exact bytes.
const app = new Koa().use(router.routes())
const server = app.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close(() => receiver.stop()))
