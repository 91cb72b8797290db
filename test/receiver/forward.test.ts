import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { nodeHandler } from '../../adapters/node.js'
import { type ForwardedEvent, forward, handOver } from '../../src/forward/forward.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, secret, settled } from './deliver.js'

const nextSecret = 'whsec_of_the_next_one'
const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
}

const receiverTo = (fallback: never) =>
  createReceiver({ secret, now: clock, logger: false, store: memoryStore(), fallback })

it('the next receiver verifies the same bytes with its own secret, and finds a duplicate by its id', async () => {
  const bodies: string[] = []
  const next = createReceiver({
    secret: nextSecret,
    logger: false,
    store: memoryStore(),
    fallback: ({ raw }) => void bodies.push(new TextDecoder().decode(raw)),
  })
  const url = await serve(nodeHandler(next))
  const text = `${JSON.stringify(settled, undefined, 1)}\n`
  for (const store of [1, 2]) {
    const receiver = receiverTo(forward({ url, secret: nextSecret }) as never)
    const result = await receiver.receive(await delivery(text))
    expect([store, result.outcome]).toEqual([store, 'processed'])
  }
  expect(bodies).toEqual([text])
})

it('anything but 2xx fails the event, and a redirect is not followed', async () => {
  const asked: string[] = []
  const url = await serve((request, response) => {
    asked.push(request.url as string)
    response.writeHead(asked.length === 1 ? 307 : 500, { location: '/elsewhere' }).end()
  })
  const receiver = receiverTo(forward({ url, secret: nextSecret }) as never)
  for (const status of [307, 500]) {
    const result = await receiver.receive(await delivery())
    expect(result).toMatchObject({
      code: 'handler_failed',
      cause: { message: `forwarding was answered ${status}` },
    })
  }
  expect(asked).toEqual(['/webhooks', '/webhooks'])
})

it('a server that does not answer fails the event after its time', async () => {
  const url = await serve(() => {})
  const receiver = receiverTo(forward({ url, secret: nextSecret, timeoutSeconds: 0.1 }) as never)
  expect(await receiver.receive(await delivery())).toMatchObject({ cause: { name: 'TimeoutError' } })
})

it('refuses what it cannot use', () => {
  const good = { url: 'https://ledger.example/webhooks', secret: nextSecret }
  expect(() => forward(good)).not.toThrow()
  expect(() => forward({ ...good, url: 'http://ledger.example/', allowHttp: true })).not.toThrow()
  const wrong = [
    { url: 'http://ledger.example/' },
    { url: 'file:///etc/passwd' },
    { url: 'ledger' },
    { secret: '' },
    { timeoutSeconds: 0 },
    { retries: 3 },
  ]
  for (const over of wrong) {
    expect(() => forward({ ...good, ...over } as never), JSON.stringify(over)).toThrow()
  }
  expect(() => handOver(7 as never)).toThrow(/function/)
})

it('handOver passes the exact bytes to a function, whose failure is the one of the event', async () => {
  const got: ForwardedEvent[] = []
  const receiver = receiverTo(handOver((event) => void got.push(event)) as never)
  const sent = await delivery()
  expect(await receiver.receive(sent)).toMatchObject({ outcome: 'processed' })
  expect(got).toMatchObject([{ id: 'evt_1', type: 'transfer.settled', createdAt: settled.createdAt }])
  expect(got[0]?.body).toEqual(sent.body)

  const failing = receiverTo(handOver(() => Promise.reject(new Error('the broker is down'))) as never)
  expect(await failing.receive(await delivery())).toMatchObject({ cause: { message: 'the broker is down' } })
})
