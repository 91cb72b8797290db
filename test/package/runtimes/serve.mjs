/**
 * A durable receiver that the server of another runtime answers with: `serve.mjs FILE`. Prints its port, and the id of
 * each event that its handler runs.
 */
import { createReceiver } from 'webhook-inbox'
import { fetchHandler } from 'webhook-inbox/fetch'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET,
  store: sqliteStore(process.argv[2]),
  queue: localQueue(),
  handlers: { 'transfer.settled': ({ id }) => console.log(`ran ${id}`) },
  logger: false,
})
await receiver.start()

const address = { hostname: '127.0.0.1', port: 0 }
const fetch = fetchHandler(receiver)
const server = globalThis.Deno
  ? globalThis.Deno.serve({ ...address, onListen() {} }, fetch).addr
  : globalThis.Bun.serve({ ...address, fetch })
console.log(`port ${server.port}`)
