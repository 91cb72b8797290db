/** Your own events. An event map types them. A schema types them and also checks their data. */
import { createServer } from 'node:http'
import * as v from 'valibot'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { origin, port, secret } from './environment.js'

/** Not checked at run time: the compiler trusts this map. */
interface OwnEvents {
  'policy.changed': { policyId: string; limit: string }
}

/** Checked: data that does not fit is rejected as `invalid_data` and never reaches a handler. */
const schemas = {
  'evidence.exported': v.object({ exportId: v.string(), rows: v.pipe(v.number(), v.integer()) }),
}

const receiver = createReceiver<OwnEvents, typeof schemas>({
  secret,
  store: memoryStore(), // for one process; redisStore for more than one
  schemas,
  handlers: {
    'policy.changed': ({ data }) => console.log(`limit of ${data.policyId}: ${data.limit}`),
    'evidence.exported': ({ data }) => console.log(`export ${data.exportId}: ${data.rows.toFixed()} rows`),
    'transfer.settled': ({ data }) => console.log(`credit ${data.transferId}`),
  },
})
await receiver.start()

const server = createServer(nodeHandler(receiver))
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close(() => receiver.stop()))
