import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nodeHandler } from '../../adapters/node.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliver, request } from './suite/http.js'
import { listen } from './suite/listen.js'
import { secret, signed } from './suite/signed.js'
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
  ownsConnection: true,
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

const broken = { receive: () => Promise.reject(new Error('program error')) } as unknown as Receiver

test('an error outside the handler gives 500 and a line on stderr, and the server continues', async () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => stderr.mockRestore())
  const { url, close } = await listen(nodeHandler(broken))
  onTestFinished(() => void close())
  for (let i = 0; i < 2; i++) {
    const answer = await deliver(url, await signed())
    expect([answer.status, answer.text]).toEqual([500, '{"outcome":"failed"}'])
    expect(answer.headers['content-type']).toBe('application/json')
  }
  expect(stderr.mock.calls).toMatchObject([
    [expect.any(String), { message: 'program error' }],
    [expect.any(String), { message: 'program error' }],
  ])
})

test('a request with setEncoding gives 500 immediately', async () => {
  const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
  const handle = nodeHandler(receiver)
  const { url, close } = await listen((incoming, response) => {
    incoming.setEncoding('utf8')
    return handle(incoming, response)
  })
  onTestFinished(() => void close())
  const answer = await deliver(url, await signed())
  expect([answer.status, answer.json?.code]).toEqual([500, 'body_already_read'])
})

test('a response that other code has sent is not changed', async () => {
  const handle = nodeHandler(broken)
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => stderr.mockRestore())
  let handled: Promise<void> | undefined
  const { url, close } = await listen((incoming, response) => {
    response.write('fir')
    handled = handle(incoming, response)
    void handled.finally(() => response.end('st'))
  })
  onTestFinished(() => void close())
  expect((await request(url, { body: '' })).text).toBe('first')
  await expect(handled).resolves.toBeUndefined()
})

test('a header that earlier code has set is read', async () => {
  const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
  const handle = nodeHandler(receiver)
  const { url, close } = await listen((incoming, response) => {
    incoming.headers['service-signature'] = incoming.headers['x-signature'] as string
    return handle(incoming, response)
  })
  onTestFinished(() => void close())
  const delivery = await signed()
  const renamed = { 'service-signature': undefined, 'x-signature': delivery.headers['service-signature'] }
  expect((await deliver(url, delivery, { headers: renamed })).status).toBe(200)
})
