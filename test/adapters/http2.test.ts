import { once } from 'node:events'
import http2 from 'node:http2'
import Fastify from 'fastify'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { koaHandler, koaMiddleware } from '../../adapters/koa.js'
import { nodeHandler } from '../../adapters/node.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { secret, signed } from './suite/signed.js'

type Listener = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void

const serve = async (listener: Listener) => {
  const server = http2.createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => new Promise((resolve) => server.close(resolve))
  return { port: (server.address() as { port: number }).port, close }
}

const servers: Record<string, (receiver: Receiver) => Promise<{ port: number; close(): unknown }>> = {
  'node:http2': (receiver) => serve(nodeHandler(receiver) as unknown as Listener),
  Koa: (receiver) => serve(new Koa().use(koaHandler(receiver)).callback() as unknown as Listener),
  async Fastify(receiver) {
    const app = Fastify({ http2: true })
    await app.register(fastifyPlugin, { receiver, path: '/' })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    return { port: Number(new URL(address).port), close: () => app.close() }
  },
}

/** A session with one open stream, and its response. */
async function open(mount: (typeof servers)[string], headers: object) {
  const options = {
    secret,
    store: memoryStore(),
    fallback: () => {},
    logger: false as const,
    maxBodyBytes: 1000,
  }
  const server = await mount(createReceiver({ ...options, bodyTimeoutSeconds: 0.2 }))
  const session = http2.connect(`http://127.0.0.1:${server.port}`)
  onTestFinished(async () => {
    session.destroy()
    await server.close()
  })
  const stream = session.request({ ':method': 'POST', ':path': '/', ...headers })
  stream.on('error', () => {})
  const [response] = (await Promise.all([once(stream, 'response'), begin(stream)]))[0]
  return { stream, status: (response as Record<string, unknown>)[':status'] }
}

/** Sends a part of the body and never ends it. */
async function begin(stream: http2.ClientHttp2Stream) {
  stream.write('{"id":')
}

test.each(Object.keys(servers))('%s: a delivery over HTTP/2 is processed', async (name) => {
  const { headers, body } = await signed()
  const server = await (servers[name] as (typeof servers)[string])(
    createReceiver({ secret, store: memoryStore(), fallback: () => {}, logger: false }),
  )
  const session = http2.connect(`http://127.0.0.1:${server.port}`)
  const stream = session.request({ ':method': 'POST', ':path': '/', ...headers })
  stream.end(body)
  const [response] = await once(stream, 'response')
  expect(response[':status']).toBe(200)
  session.destroy()
  await server.close()
})

test('a route behind a middleware answers over HTTP/2, and its response has no methods that it does not have otherwise', async () => {
  const { headers, body } = await signed()
  let seen: unknown
  const guard = koaMiddleware({ secret, store: memoryStore(), logger: false }) as Koa.Middleware
  const app = new Koa().use(guard).use((context) => {
    // HTTP/1 has it, and HTTP/2 only in some releases of Node.
    seen = typeof context.res.setHeaders
    context.status = 202
  })
  const server = await serve(app.callback() as unknown as Listener)
  const session = http2.connect(`http://127.0.0.1:${server.port}`)
  const stream = session.request({ ':method': 'POST', ':path': '/', ...headers })
  stream.end(body)
  const [response] = await once(stream, 'response')
  session.destroy()
  await server.close()
  const { prototype } = http2.Http2ServerResponse
  expect([response[':status'], seen]).toEqual([202, typeof Reflect.get(prototype, 'setHeaders')])
})

test.each(Object.keys(servers))('%s: a stream that gets 413 is closed', async (name) => {
  const { headers } = await signed()
  const mount = servers[name] as (typeof servers)[string]
  const { stream, status } = await open(mount, { ...headers, 'content-length': '5000' })
  expect(status).toBe(413)
  if (!stream.closed) {
    await once(stream.resume(), 'close')
  }
  expect(stream.rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR)
})

test.each(Object.keys(servers))('%s: a stream whose body never ends gets 408 and is closed', async (name) => {
  const { headers } = await signed()
  const { stream, status } = await open(servers[name] as (typeof servers)[string], headers)
  expect(status).toBe(408)
  if (!stream.closed) {
    await once(stream.resume(), 'close')
  }
})

test.each(Object.keys(servers))('%s: a body that is too large leaves no connection open', async (name) => {
  const { headers } = await signed()
  const server = await (servers[name] as (typeof servers)[string])(
    createReceiver({ secret, store: memoryStore(), fallback: () => {}, logger: false, maxBodyBytes: 1000 }),
  )
  const session = http2.connect(`http://127.0.0.1:${server.port}`)
  const stream = session.request({ ':method': 'POST', ':path': '/', ...headers })
  stream.on('error', () => {}).resume()
  // More than the limit and what a paused stream buffers, and no Content-Length.
  stream.end(Buffer.alloc(60_000))
  const [response] = await once(stream, 'response')
  expect(response[':status']).toBe(413)
  session.destroy()
  // It waits for the connections.
  await server.close()
})
