import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it } from 'vitest'
import { nodeHandler } from '../../adapters/node.js'
import { forward } from '../../src/forward/forward.js'
import { type ForwardedEvent, handOver } from '../../src/forward/hand-over.js'
import { createReceiver } from '../../src/receiver.js'
import { fingerprintOf } from '../../src/store/fingerprint.js'
import { reasonOf } from '../../src/store/reason.js'
import { memoryStore } from '../../src/stores/memory.js'
import { freePort } from '../servers/redis.js'
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
      cause: { message: expect.stringMatching(`^forwarding to 127.0.0.1:\\d+ was answered ${status}$`) },
    })
  }
  expect(asked).toEqual(['/webhooks', '/webhooks'])
})

it('a response of 2xx is success, and any other one is named, also if its connection breaks then', async () => {
  for (const [line, outcome] of [
    ['200 OK', { outcome: 'processed' }],
    ['503 Busy', { cause: { message: expect.stringMatching(/was answered 503$/) } }],
  ] as const) {
    const url = await serve(({ socket }) => {
      socket.write(`HTTP/1.1 ${line}\r\ncontent-length: 100\r\n\r\nabc`, () => socket.resetAndDestroy())
    })
    for (let i = 0; i < 20; i++) {
      const receiver = receiverTo(forward({ url, secret: nextSecret }) as never)
      expect(await receiver.receive(await delivery())).toMatchObject(outcome)
    }
  }
})

it('a server that does not answer fails the event after its time', async () => {
  // A garbage collection must not end the time limit.
  setFlagsFromString('--expose-gc')
  const url = await serve(() => runInNewContext('gc')())
  const receiver = receiverTo(forward({ url, secret: nextSecret, timeoutSeconds: 0.3 }) as never)
  expect(await receiver.receive(await delivery())).toMatchObject({ cause: { name: 'TimeoutError' } })
})

it.each([
  ['evt_1', 'evt_1'],
  ['!~', '!~'],
  ['evt 1', undefined],
  [' evt_1', undefined],
  ['evt_1é', undefined],
  ['évt_1', undefined],
])('the id %j is sent in a header where a header can hold it', async (id, header) => {
  const ids: unknown[] = []
  const url = await serve((request, response) => {
    ids.push(request.headers['service-event-id'])
    response.writeHead(204).end()
  })
  const event = { ...settled, id, raw: new TextEncoder().encode('{}') }
  const { signal } = new AbortController()
  await forward({ url, secret: nextSecret })(event as never, { signal } as never)
  expect(ids).toEqual([header])
})

const good = { url: 'https://ledger.example/webhooks', secret: nextSecret }
const noUrl = 'url must be an https: URL, such as https://ledger.internal/webhooks'
const noHttp = 'url must be https:, or http: on localhost; for http: to another host set allowHttp: true'
const noTime = 'timeoutSeconds must be a positive number, at most a day'
const noSecret = 'invalid_secret: a secret cannot be used'

it.each([
  {},
  { timeoutSeconds: 86_400 },
  { url: 'http://ledger.example/', allowHttp: true },
  { url: 'http://localhost:3000/' },
  { url: 'http://127.0.0.10/' },
  { url: 'http://127.10.0.1/' },
  { url: 'http://[::1]/' },
])('it takes %j', (over) => {
  expect(() => forward({ ...good, ...over })).not.toThrow()
})

it.each<[object, string]>([
  [{ url: 'http://ledger.example/' }, noHttp],
  [{ url: 'http://localhost.ledger.example/' }, noHttp],
  [{ url: 'http://ledger.localhost/' }, noHttp],
  [{ url: 'file:///etc/passwd' }, noUrl],
  [{ url: 'file:///etc/passwd', allowHttp: true }, noUrl],
  [{ url: 'ledger' }, noUrl],
  [{ url: undefined }, noUrl],
  [{ url: new URL('https://ledger.example/') }, noUrl],
  [{ secret: '' }, noSecret],
  [{ secret: undefined }, noSecret],
  [{ secret: [nextSecret] }, noSecret],
  [{ timeoutSeconds: 0 }, noTime],
  [{ timeoutSeconds: 86_401 }, noTime],
  [{ timeoutSeconds: '10' }, noTime],
  [{ timeoutSeconds: Number.NaN }, noTime],
  [{ url: 'https://user:password@ledger.example/' }, 'url must have no user name and no password'],
  [{ url: 'https://user@ledger.example/' }, 'url must have no user name and no password'],
  [{ url: 'https://:password@ledger.example/' }, 'url must have no user name and no password'],
  [{ url: 'http://ledger.example/', allowHttp: 'false' }, 'allowHttp must be a boolean'],
  [{ allowHttp: 1 }, 'allowHttp must be a boolean'],
  [{ secret: 'x' }, noSecret],
  [{ secret: ` ${nextSecret}` }, noSecret],
  [{ retries: 3 }, 'retries is not an option of forward; there are url, secret, timeoutSeconds, allowHttp'],
])('it rejects %j', (over, message) => {
  expect(() => forward({ ...good, ...over } as never)).toThrow(message)
})

it('handOver rejects what is no function', () => {
  expect(() => handOver(7 as never)).toThrow('handOver takes a function')
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

it('says why a target cannot be reached, in the last error and in the group', async () => {
  const receiver = receiverTo(
    forward({ url: `http://127.0.0.1:${await freePort()}/`, secret: nextSecret }) as never,
  )
  const { cause } = (await receiver.receive(await delivery())) as { cause?: unknown }
  expect(reasonOf(cause)).toMatch(/^TypeError: fetch failed; cause: .*ECONNREFUSED/)
  expect((await fingerprintOf(cause)).title).toBe('TypeError: fetch failed (ECONNREFUSED)')
})
