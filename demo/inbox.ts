import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, memoryStore, type ReceiveResult, type Receiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import type { Books } from './books.js'

export const secret = 'whsec_demo_secret'
/** Tells the demo’s own deliveries from those that somebody else sends. */
export const demoAgent = 'webhook-inbox-demo'
const path = '/webhooks'

/** The one place that chooses the store. */
const openStore = () => memoryStore()

export interface Inbox {
  readonly url: string
  readonly guarantee: string
  /** Resolves when the last delivery has been answered and nothing is open any more. */
  close(): Promise<void>
}

/** A receiver on a real port, as a service would mount it. Port 0 is any free one. */
export async function openInbox(
  books: Books,
  port: number,
  onVisit: (result: ReceiveResult) => void,
): Promise<Inbox> {
  const store = openStore()
  const receiver = createReceiver({
    secret,
    store,
    logger: false,
    handlers: {
      'transfer.settled': (event) => books.enter(event, event.data.transferId, 'settled'),
      'approval.updated': (event) => books.enter(event, event.data.transferId, 'approved'),
      // The first attempt always fails, so that a redelivery can be seen to mend it.
      'transfer.failed'(event, { attempt }) {
        if (attempt === 1) throw new Error('the ledger is locked')
        books.enter(event, event.data.transferId, 'failed')
      },
    },
  })
  await receiver.start()

  const handle = nodeHandler(watch(receiver, onVisit))
  const server = createServer((request, response) => {
    if (request.url === path) return handle(request, response)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    guarantee: receiver.describe(),
    async close() {
      await new Promise((resolve) => server.close(resolve))
      await receiver.stop()
      await store.close()
    },
  }
}

/** Reports what others than the demo deliver. */
function watch(receiver: Receiver, onVisit: (result: ReceiveResult) => void): Receiver {
  return {
    ...receiver,
    async receive(request) {
      const result = await receiver.receive(request)
      const { headers } = request.source as IncomingMessage
      if (headers['user-agent'] !== demoAgent) onVisit(result)
      return result
    },
  }
}
