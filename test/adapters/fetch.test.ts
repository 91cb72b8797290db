import { getRequestListener } from '@hono/node-server'
import { describe, expect, test } from 'vitest'
import { fetchHandler } from '../../adapters/fetch.js'
import { createReceiver, memoryStore, type ReceiveResult } from '../../src/index.js'
import { deliveryOf, fixture, testSecret } from '../../src/testing/index.js'
import { joinedHeaders } from './joined-headers.js'
import { listen } from './suite/listen.js'
import { adapterSuite } from './suite.js'

adapterSuite(
  'fetch',
  (receiver) => listen(getRequestListener(fetchHandler(receiver), { overrideGlobalObjects: false })),
  { skip: [joinedHeaders] },
)

function build(options: { maxBodyBytes?: number; bodyTimeoutSeconds?: number; secret?: () => string } = {}) {
  const results: ReceiveResult[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: memoryStore(),
    fallback: () => {},
    logger: false,
    onResult: (result) => results.push(result),
    ...options,
  })
  return { handle: fetchHandler(receiver), results }
}

interface Init {
  headers: Readonly<Record<string, string>>
  body: Uint8Array | ReadableStream | string
}

const post = (init: Init) =>
  new Request('https://localhost/webhooks?tenant=a%20b', {
    method: 'POST',
    duplex: 'half',
    ...init,
  } as unknown as RequestInit)

/** A stream that returns one chunk per read. */
function streamOf(chunks: Iterable<Uint8Array>, source: { cancel?: () => Promise<void> } = {}) {
  const iterator = chunks[Symbol.iterator]()
  return new ReadableStream<Uint8Array>({
    ...source,
    pull(controller) {
      const { done, value } = iterator.next()
      if (done) {
        controller.close()
      } else {
        controller.enqueue(value)
      }
    },
  })
}

function* slices(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size)
  }
}

describe('the body is read as a stream', () => {
  test.each([1, 2, 7, 64, 4096])('the exact bytes, in chunks of %i', async (size) => {
    const bytes = Buffer.from(
      `{"id":"evt_1","type":"x","createdAt":"2026-01-02T03:04:05Z","data":{"text":"${'é\u{1f4b8}\u2028'.repeat(99)}"}}`,
    )
    const { headers } = await deliveryOf(bytes)
    const { handle, results } = build()
    expect((await handle(post({ headers, body: streamOf(slices(bytes, size)) }))).status).toBe(200)
    expect(Buffer.from(results[0]?.event?.raw ?? []).equals(bytes)).toBe(true)
  })

  test.each([
    ['text only', (text: string) => [text]],
    ['empty text first', (text: string) => ['', text]],
    ['text after bytes', (text: string) => [Buffer.from(text.slice(0, 9)), text.slice(9)]],
  ])('a stream that was decoded to text gives 500 and names the cause: %s', async (_, chunksOf) => {
    const { body, headers } = await fixture('transfer.settled')
    const { handle, results } = build()
    const chunks = chunksOf(Buffer.from(body).toString()) as unknown as Uint8Array[]
    expect((await handle(post({ headers, body: streamOf(chunks) }))).status).toBe(500)
    expect(results).toMatchObject([{ outcome: 'failed', code: 'body_already_read' }])
  })

  test('empty chunks and an absent body count as nothing', async () => {
    const { body, headers } = await fixture('transfer.settled')
    const chunks = [new Uint8Array(0), body, new Uint8Array(0)]
    expect((await build().handle(post({ headers, body: streamOf(chunks) }))).status).toBe(200)

    const absent = new Request('https://localhost/', { method: 'POST', headers })
    expect(absent.body).toBeNull()
    expect(await (await build().handle(absent)).json()).toMatchObject({ code: 'signature_mismatch' })
  })

  test('a body of maxBodyBytes is accepted, one byte more is rejected', async () => {
    const { body, headers } = await fixture('transfer.settled')
    const send = (maxBodyBytes: number) =>
      build({ maxBodyBytes }).handle(post({ headers, body: streamOf(slices(body, 10)) }))
    expect((await send(body.length)).status).toBe(200)
    expect((await send(body.length - 1)).status).toBe(413)
  })

  test('an endless body is cut off, even if its source never settles the cancellation', async () => {
    const { headers } = await fixture('transfer.settled')
    let sent = 0
    let isCanceled = false
    function* endless() {
      for (; ; sent += 1000) {
        yield new Uint8Array(1000)
      }
    }
    const cancel = () => {
      isCanceled = true
      return new Promise<never>(() => {})
    }
    const answer = await build({ maxBodyBytes: 5000 }).handle(
      post({ headers, body: streamOf(endless(), { cancel }) }),
    )
    expect(answer.status).toBe(413)
    expect(isCanceled).toBe(true)
    expect(sent).toBeLessThan(10_000)
  })

  test('a body that stalls is given up when its time is over, and its source learns of it', async () => {
    const { body, headers } = await fixture('transfer.settled')
    let canceled = () => {}
    const isCanceled = new Promise<void>((resolve) => {
      canceled = resolve
    })
    const stalled = new ReadableStream({
      start: (controller) => controller.enqueue(body.subarray(0, 10)),
      cancel: canceled,
    })
    const answer = await build({ bodyTimeoutSeconds: 0.05 }).handle(post({ headers, body: stalled }))
    expect(answer.status).toBe(408)
    await isCanceled
  })

  test('a body of empty chunks without end is given up when its time is over', async () => {
    const { headers } = await fixture('transfer.settled')
    let pulled = 0
    const empty = new ReadableStream({
      pull(controller) {
        // Ends, so that a reader that never lets a timer fire fails this test and does not hang it.
        if (++pulled > 200_000) {
          controller.close()
        } else {
          controller.enqueue(new Uint8Array(0))
        }
      },
    })
    const answer = await build({ bodyTimeoutSeconds: 0.05 }).handle(post({ headers, body: empty }))
    expect([answer.status, pulled < 200_000]).toEqual([408, true])
  })

  test('a body that breaks off is incomplete, and the log has its error', async () => {
    const { body, headers } = await fixture('transfer.settled')
    const reset = new Error('reset')
    const broken = new ReadableStream({
      pull(controller) {
        controller.enqueue(body.subarray(0, 10))
        controller.error(reset)
      },
    })
    const { handle, results } = build()
    expect(await (await handle(post({ headers, body: broken }))).json()).toMatchObject({
      code: 'body_incomplete',
    })
    expect(results[0]).toMatchObject({ code: 'body_incomplete', cause: reset })
  })

  test('a delivery that is rejected by its headers leaves the body unread', async () => {
    const request = post({ headers: { 'content-type': 'text/plain' }, body: 'x' })
    expect((await build().handle(request)).status).toBe(415)
    expect(request.bodyUsed).toBe(false)
  })
})

describe('a body that other code has read is reported in the log', () => {
  test.each([
    ['read', (request: Request) => request.json()],
    [
      'read in part and let go',
      async (request: Request) => {
        const reader = request.body?.getReader()
        await reader?.read()
        reader?.releaseLock()
      },
    ],
    ['locked', async (request: Request) => void request.body?.getReader()],
  ])('%s', async (_, take) => {
    const request = post(await fixture('transfer.settled'))
    await take(request)
    const { handle, results } = build()
    const answer = await handle(request)
    expect(answer.status).toBe(500)
    expect(await answer.json()).toEqual({ outcome: 'failed', code: 'body_already_read' })
    expect(results).toHaveLength(1)
  })

  test('a clone of the request may be read as well', async () => {
    const request = post(await fixture('transfer.settled'))
    const [seen, answer] = await Promise.all([request.clone().json(), build().handle(request)])
    expect(seen).toMatchObject({ type: 'transfer.settled' })
    expect(answer.status).toBe(200)
  })
})

test('a repeated signature is rejected, although Headers joins the two', async () => {
  const { body, headers } = await fixture('transfer.settled')
  const signature = headers['service-signature'] as string
  for (const other of [signature, 't=1700000000']) {
    const request = post({ headers, body })
    request.headers.append('service-signature', other)
    expect(await (await build().handle(request)).json()).toMatchObject({ code: 'malformed_signature' })
  }
})

test('a response to HEAD has headers and no body', async () => {
  const answer = await build().handle(new Request('https://localhost/', { method: 'HEAD' }))
  expect([answer.status, answer.headers.get('allow'), answer.body]).toEqual([405, 'POST', null])
})

test('the secret resolver gets path, query and request, and other arguments of a runtime are ignored', async () => {
  const seen: unknown[] = []
  const receiver = createReceiver({
    secret: ({ url, source }) => {
      seen.push(url, source)
      return testSecret
    },
    store: memoryStore(),
    fallback: () => {},
  })
  const request = post(await fixture('transfer.settled'))
  const worker: { fetch(request: Request, env: object, context: object): Promise<Response> } = {
    fetch: fetchHandler(receiver),
  }
  expect((await worker.fetch(request, { SECRET: 'other' }, {})).status).toBe(200)
  expect(seen).toEqual(['/webhooks?tenant=a%20b', request])
})
