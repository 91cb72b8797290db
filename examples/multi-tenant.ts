/**
 * Many tenants on one server, each with its own path and secrets. Each tenant has its own receiver over the shared store.
 * `endpoint` separates their events. Without it a tenant could claim an event id of another.
 */
import { createServer } from 'node:http'
import { createReceiver, memoryStore, type Receiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { origin, port, required } from './environment.js'

/** A list in place of a table of tenants: `acme=whsec_acme_0123456789,globex=whsec_globex_0123456789`. */
const tenants = new URLSearchParams(required('TENANT_SECRETS').replaceAll(',', '&'))
const store = memoryStore() // for one process; redisStore for more than one
const receivers = new Map<string, Receiver>()

function receiverOf(tenant: string): Receiver {
  const receiver =
    receivers.get(tenant) ??
    createReceiver({
      endpoint: tenant,
      // Called for every delivery, so that a rotated secret takes effect immediately. The keys are cached.
      secret: async () => tenants.getAll(tenant),
      store,
      fallback: ({ id }) => console.log(`${tenant} ${id}`),
    })
  receivers.set(tenant, receiver)
  return receiver
}

const server = createServer((request, response) => {
  const tenant = /^\/webhooks\/(\w+)$/.exec(request.url ?? '')?.[1]
  if (tenant && tenants.has(tenant)) {
    return nodeHandler(receiverOf(tenant))(request, response)
  }
  response.writeHead(404).end()
})
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks/<tenant>`))
process.once('SIGTERM', () => server.close())
