import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { nodeHandler } from '../../adapters/node.js'
import { listen } from './suite/listen.js'
import { adapterSuite, type Mount } from './suite.js'

const mount: Mount = (receiver) => listen(nodeHandler(receiver))

const after =
  (read: (request: IncomingMessage) => Promise<void>): Mount =>
  (receiver) => {
    const handle = nodeHandler(receiver)
    return listen(async (request, response) => {
      await read(request)
      await handle(request, response)
    })
  }

adapterSuite('node:http', mount, {
  afterParser: after(async (request) => {
    Object.assign(request, { body: {} })
    if (request.headers['content-type'] === 'application/json') {
      Object.assign(request, { body: JSON.parse(await getRawBody(request, 'utf8')) })
    }
  }),
  afterRawParser: after(async (request) => {
    Object.assign(request, { rawBody: await getRawBody(request), body: { parsed: true } })
  }),
})
