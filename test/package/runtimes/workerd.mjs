/** A Worker whose only store is the memory of its isolate. `/ran` tells how often the handler ran. */
import { createReceiver, memoryStore } from 'webhook-inbox'
import { fetchHandler } from 'webhook-inbox/fetch'

let ran = 0
const receiver = createReceiver({
  secret: 'whsec_runtimes_secret',
  store: memoryStore(),
  handlers: {
    async 'transfer.settled'() {
      await new Promise((resolve) => setTimeout(resolve, 100))
      ran++
    },
  },
  logger: false,
})
const receive = fetchHandler(receiver)

export default {
  fetch: (request) => (new URL(request.url).pathname === '/ran' ? new Response(`${ran}`) : receive(request)),
}
