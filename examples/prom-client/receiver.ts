/** A telemetry of your own: metrics by prom-client, at /metrics. In production, serve them on a port of their own. */
import { createServer } from 'node:http'
import { Registry } from 'prom-client'
import { createReceiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { origin, port, secret } from '../environment.js'
import { promClientTelemetry } from './telemetry.js'

const registry = new Registry()

const receiver = createReceiver({
  secret,
  store: sqliteStore(process.env.DATABASE ?? 'inbox.sqlite'),
  queue: localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.1 } }),
  telemetry: promClientTelemetry(registry),
  handlers: {
    'transfer.settled': ({ data }) => console.log(`credited ${data.transferId}`),
    'transfer.failed'() {
      throw new Error('the ledger is closed')
    },
  },
})
await receiver.start()

const webhooks = nodeHandler(receiver)
const server = createServer(async (request, response) => {
  if (request.url !== '/metrics') {
    return webhooks(request, response)
  }
  response.setHeader('content-type', registry.contentType)
  response.end(await registry.metrics())
})
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close(() => receiver.stop()))
