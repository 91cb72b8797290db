/** Answers as soon as an event is committed, and runs no handler. Start as many as the traffic needs. */
import { createServer } from 'node:http'
import { nodeHandler } from 'webhook-inbox/node'
import { origin, port } from '../environment.js'
import { close, receiver } from './receiver.js'

await receiver.start({ consume: false })
const server = createServer(nodeHandler(receiver))
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close(close))
