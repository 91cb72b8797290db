import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { createReceiver, memoryStore, type ReceiveResult, type TransferSettled } from '../../src/index.js'
import { fixture, shuffle, tamper, testSender } from '../../src/testing/index.js'

interface ShopEvents {
  'order.paid': { orderId: string; total: string }
}

const secret = 'whsec_shop_secret'
let runs: string[]
let results: ReceiveResult[]
let failures = 0

const build = () =>
  createReceiver<ShopEvents>({
    secret,
    store: memoryStore(),
    logger: false,
    onResult: (result) => results.push(result),
    fallback({ id }) {
      if (failures-- > 0) {
        throw new Error('not yet')
      }
      runs.push(id)
    },
  })

/** The plainest server there is, so that these tests stand on no adapter. */
function serve(receiver: ReturnType<typeof build>): Server {
  return createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) {
      chunks.push(chunk as Buffer)
    }
    if (request.url === '/elsewhere') {
      return void response.writeHead(307, { location: '/' }).end()
    }
    if (request.url === '/plain') {
      return void response.writeHead(204).end()
    }
    if (request.url === '/null') {
      return void response.writeHead(200).end('null')
    }
    if (request.url === '/silent') {
      return
    }
    const { status, headers, body } = await receiver.receive({
      method: request.method,
      headers: request.headers,
      body: Buffer.concat(chunks),
      url: request.url,
    })
    response.writeHead(status, headers).end(body)
  })
}

let server: Server
let url: string
beforeAll(async () => {
  server = serve(build())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  runs = []
  results = []
  failures = 0
})

const targets = {
  'a receiver in this process': () => ({ receiver: build(), secret }),
  'a url over HTTP': () => ({ url, secret }),
}

describe.each(Object.entries(targets))('a test sender to %s', (_name, target) => {
  it('sends, and returns the verdict in the same form over HTTP and in process', async () => {
    const sender = testSender<ShopEvents>(target())
    const answer = await sender.send('order.paid', { orderId: 'o_1', total: '10.00' }, { id: 'evt_o1' })
    expect(answer).toMatchObject({
      status: 200,
      outcome: 'processed',
      code: undefined,
      eventId: 'evt_o1',
      headers: { 'content-type': 'application/json' },
      body: '{"outcome":"processed","eventId":"evt_o1"}',
    })
    expect(answer.delivery.event.data).toEqual({ orderId: 'o_1', total: '10.00' })
  })

  it('sends sample data, overridden where asked, in either envelope', async () => {
    const sender = testSender({ ...target(), representation: 'snake_case' })
    await sender.send('transfer.settled', { rail: 'card' })
    await sender.send('transfer.settled', {}, { representation: 'camelCase' })
    expect(results.map(({ event }) => event?.representation)).toEqual(['snake_case', 'camelCase'])
    expect(results[0]?.event?.data).toMatchObject({ rail: 'card', ledgerState: 'matched' })
  })

  it('redelivers the same id and bytes under a new t', async () => {
    const sender = testSender(target())
    failures = 1
    const failed = await sender.send('ledger.matched', {}, { ageSeconds: 200 })
    expect(failed).toMatchObject({ status: 500, outcome: 'failed', code: 'handler_failed' })
    const again = await sender.redeliver(failed)
    expect(again).toMatchObject({ status: 200, outcome: 'processed', eventId: failed.eventId })
    expect(again.delivery.body).toEqual(failed.delivery.body)
    expect(signedAt(again)).toBeGreaterThanOrEqual(signedAt(failed) + 200)
    expect(await sender.redeliver(failed.delivery)).toMatchObject({ outcome: 'duplicate' })
    expect(await sender.redeliver(failed, { ageSeconds: 400 })).toMatchObject({
      code: 'timestamp_out_of_tolerance',
    })
    expect(runs).toHaveLength(1)
  })

  it('delivers one event many times concurrently', async () => {
    const answers = await testSender(target()).concurrent(50, 'transfer.failed')
    expect(new Set(answers.map(({ delivery }) => delivery.event.id)).size).toBe(1)
    expect(answers.filter(({ outcome }) => outcome === 'processed')).toHaveLength(1)
    expect(answers.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(49)
    expect(runs).toHaveLength(1)
  })

  it('delivers out of order, the same way for the same seed', async () => {
    const sender = testSender(target())
    const deliveries = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        fixture('step', { secret, id: `evt_${index}_${Math.random().toString(36).slice(2)}` }),
      ),
    )
    const sent = deliveries.map(({ event }) => event.id)
    const answers = await sender.reorder(deliveries, { seed: 5 })
    expect(runs).not.toEqual(sent)
    expect(answers.map(({ eventId }) => eventId)).toEqual(runs)
    expect(runs).toEqual(shuffle(sent, 5))
    expect([...runs].sort()).toEqual([...sent].sort())
  })

  it('delivers what was tampered with as it is', async () => {
    const sender = testSender(target())
    const delivery = tamper.body(await sender.prepare('transfer.settled'))
    expect(await sender.deliver(delivery)).toMatchObject({
      status: 401,
      code: 'signature_mismatch',
      eventId: undefined,
    })
    expect(runs).toEqual([])
  })

  it('adds headers to every delivery, never over its own', async () => {
    const mistyped = testSender({ ...target(), headers: { 'content-encoding': 'gzip' } })
    expect(await mistyped.send('transfer.settled')).toMatchObject({ code: 'unsupported_content_encoding' })
    const overruled = testSender({ ...target(), headers: { 'service-signature': 'none' } })
    expect(await overruled.send('transfer.settled')).toMatchObject({ outcome: 'processed' })
  })

  it('signs with its own secret', async () => {
    expect(await testSender({ ...target(), secret: 'another' }).send('transfer.settled')).toMatchObject({
      code: 'signature_mismatch',
    })
  })
})

const signedAt = ({ delivery }: { delivery: { headers: Readonly<Record<string, string>> } }) =>
  Number(/t=(\d+)/.exec(delivery.headers['service-signature'] as string)?.[1])

describe('over HTTP', () => {
  it('follows no redirect', async () => {
    const answer = await testSender({ url: `${url}/elsewhere`, secret }).send('transfer.settled')
    expect(answer).toMatchObject({ status: 307, outcome: undefined, headers: { location: '/' } })
    expect(runs).toEqual([])
  })

  it.each(['plain', 'null'])('accepts a response that is not from a receiver (%s)', async (path) => {
    const answer = await testSender({ url: new URL(path, url), secret }).send('transfer.settled')
    expect(answer).toMatchObject({ outcome: undefined, code: undefined, eventId: undefined })
  })

  it('gives up on a receiver that does not answer', async () => {
    await expect(
      testSender({ url: `${url}/silent`, secret, timeoutSeconds: 0.2 }).send('transfer.settled'),
    ).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('rejects where nothing listens', async () => {
    await expect(testSender({ url: 'http://127.0.0.1:1', secret }).send('transfer.settled')).rejects.toThrow(
      TypeError,
    )
  })
})

it('shows a secret resolver the url in process', async () => {
  const receiver = createReceiver({
    secret: ({ url }) => `secret of ${url}`,
    store: memoryStore(),
    fallback: () => {},
    logger: false,
  })
  const sender = testSender({ receiver, url: '/tenants/a', secret: 'secret of /tenants/a' })
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'processed' })
})

describe('the types of a test sender', () => {
  const sender = testSender<ShopEvents>({ url: 'http://127.0.0.1:1' })
  // Never run: what matters is what compiles.
  const compiles = () => [
    sender.send('order.paid', { orderId: 'o', total: '1.00' }),
    sender.send('transfer.settled'),
    sender.send('transfer.settled', { rail: undefined }),
    sender.concurrent(2, 'order.paid', { orderId: 'o', total: '1.00' }),
    // @ts-expect-error a misspelt type
    sender.send('transfer.setled'),
    // @ts-expect-error the user’s own data is needed in full
    sender.send('order.paid'),
    // @ts-expect-error a field is missing
    sender.send('order.paid', { orderId: 'o' }),
    // @ts-expect-error a misspelt field
    sender.send('transfer.settled', { rial: 'card' }),
    // @ts-expect-error neither receiver nor url
    testSender({ secret }),
    // @ts-expect-error a misspelt field of a known event
    fixture('transfer.settled', { data: { rial: 'card' } }),
  ]

  it('know the data of what was sent', () => {
    expect(compiles).toBeTypeOf('function')
    type Sent = Awaited<ReturnType<typeof sender.send<'order.paid'>>>
    expectTypeOf<Sent['delivery']['event']['data']>().toEqualTypeOf<ShopEvents['order.paid']>()
    expectTypeOf(fixture<'transfer.settled'>)
      .returns.resolves.toHaveProperty('event')
      .toHaveProperty('data')
      .toEqualTypeOf<TransferSettled>()
    expectTypeOf(fixture<'evidence.exported'>)
      .returns.resolves.toHaveProperty('event')
      .toHaveProperty('data')
      .toEqualTypeOf<unknown>()
  })
})
