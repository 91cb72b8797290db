import { METHODS } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import getRawBody from 'raw-body'
import { expect, onTestFinished, test } from 'vitest'
import { fastifyPlugin, type WebhookRequest } from '../../adapters/fastify.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { asMiddleware } from './suite/as-middleware.js'
import { expectCause } from './suite/expect-cause.js'
import { deliver, request } from './suite/http.js'
import { eventually } from './suite/rig.js'
import { secret, signed } from './suite/signed.js'
import { adapterSuite, type Mount, type MountRoute, middlewareSuite } from './suite.js'

async function serve(app: FastifyInstance) {
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url: `${address}/webhooks`, close: () => app.close() }
}

const fastify = () => Fastify({ forceCloseConnections: true })

const mount: Mount = async (receiver) => {
  const app = fastify()
  app.post('/sibling', async (request) => request.body)
  await app.register(fastifyPlugin, { receiver, path: '/webhooks' })
  return serve(app)
}

/** A hook of a plugin that reads every JSON body and keeps no bytes. */
const afterParser: Mount = async (receiver) => {
  const app = fastify()
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.headers['content-type'] === 'application/json') {
      await getRawBody(payload, 'utf8')
    }
  })
  await app.register(fastifyPlugin, { receiver, path: '/webhooks' })
  return serve(app)
}

/** A hook of a plugin that keeps the bytes as `request.rawBody`. */
const afterRawParser: Mount = async (receiver) => {
  const app = fastify()
  app.addHook('preParsing', async (request, _reply, payload) => {
    Object.assign(request, { rawBody: await getRawBody(payload) })
  })
  await app.register(fastifyPlugin, { receiver, path: '/webhooks' })
  return serve(app)
}

const mountRoute: MountRoute = async (options, route) => {
  const app = fastify()
  await app.register(fastifyPlugin, {
    ...options,
    path: '/webhooks',
    handler: async (request, reply) => {
      reply.header('x-route', 'yes')
      return route({
        webhook: request.webhook,
        reply: (status, body) => reply.code(status).send(body),
        stream: (status, chunks) => reply.code(status).send(Readable.from(chunks)),
      })
    },
  })
  return serve(app)
}

adapterSuite('Fastify 5', mount, { ownsConnection: true, afterParser, afterRawParser, withSibling: mount })
adapterSuite('Fastify 5, middleware form', ...asMiddleware(mountRoute))
test('what the route threw is the cause of the failure', () => expectCause(mountRoute))

middlewareSuite('Fastify 5', mountRoute, [
  {
    reason: 'Fastify destroys a stream given to a response that has finished, so the event is given back',
    tests: [
      'a late response (a stream) is dropped but marks the event done: the next delivery is a duplicate',
    ],
  },
])

const options = () => ({ path: '/webhooks', secret, store: memoryStore(), logger: false as const })

async function start(app: FastifyInstance): Promise<string> {
  onTestFinished(() => app.close())
  return (await serve(app)).url
}

test('the return value of a handler is the response', async () => {
  const app = fastify()
  const unset = { receiver: undefined, endpoint: undefined }
  const handler = async ({ webhook }: WebhookRequest) => ({ got: webhook.event.id })
  app.register(fastifyPlugin, { ...options(), ...unset, handler } as never)
  const delivery = await signed()
  const answer = await deliver(await start(app), delivery)
  expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ got: delivery.id })])
})

test('a handler that returns no promise may answer later, or immediately', async () => {
  let isLater = true
  const app = fastify()
  app.register(fastifyPlugin, {
    ...options(),
    handler: (_request, reply) => {
      if (!isLater) {
        return reply.code(202).send('at once')
      }
      setTimeout(() => reply.code(201).send('later'), 20)
    },
  })
  const url = await start(app)
  expect((await deliver(url, await signed())).text).toBe('later')
  isLater = false
  expect((await deliver(url, await signed())).text).toBe('at once')
})

test('a handler may await its reply', async () => {
  let isSent = false
  const app = fastify()
  const handler = async (_request: WebhookRequest, reply: FastifyReply) => {
    await reply.send('own')
    isSent = true
  }
  app.register(fastifyPlugin, { ...options(), handler })
  expect((await deliver(await start(app), await signed())).text).toBe('own')
  await eventually(() => isSent, 'the reply settles')
})

test.each([
  ['rejects', () => Promise.reject(new Error('mine'))],
  ['throws before it returns a promise', () => raise(new Error('mine'))],
])('the error of a handler that %s goes to the error handler of the application', async (_how, handler) => {
  const app = fastify()
  app.setErrorHandler((error: Error, _request, reply) => reply.code(418).send(`handled ${error.message}`))
  app.register(fastifyPlugin, { ...options(), handler })
  const answer = await deliver(await start(app), await signed())
  expect([answer.status, answer.text]).toEqual([418, 'handled mine'])
})

test('hooks of the application see the responses of the route and of the receiver', async () => {
  const app = fastify()
  app.addHook('onSend', async (_request, reply) => void reply.header('x-hook', 'yes'))
  app.register(fastifyPlugin, { ...options(), handler: async () => 'own' })
  const url = await start(app)
  const delivery = await signed()
  expect((await deliver(url, delivery)).headers['x-hook']).toBe('yes')
  expect((await deliver(url, delivery)).headers['x-hook']).toBe('yes')
})

test('the plugin mounts below a prefix, twice, and on an application that injects', async () => {
  const app = fastify()
  const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
  app.register(fastifyPlugin, { prefix: '/a', path: '/webhooks', receiver })
  app.register(fastifyPlugin, { prefix: '/b', ...options(), handler: async () => 'b' })
  const { headers, body } = await signed()
  const inject = (url: string) => app.inject({ method: 'POST', url, headers, payload: body })
  expect((await inject('/a/webhooks')).json()).toMatchObject({ outcome: 'processed' })
  expect((await inject('/b/webhooks')).payload).toBe('b')
  expect((await app.inject({ method: 'GET', url: '/a/webhooks' })).statusCode).toBe(405)
  await app.close()
})

test.each([
  ['closed', (stream: PassThrough) => void setTimeout(() => stream.destroy(), 20)],
  ['ended', (stream: PassThrough) => void stream.end('{"id":')],
])('a payload stream that a hook replaced and %s early is an incomplete body', async (_how, cut) => {
  const app = fastify()
  app.addHook('preParsing', async () => {
    const replaced = new PassThrough()
    cut(replaced)
    return replaced
  })
  app.register(fastifyPlugin, { ...options(), handler: async () => 'own' })
  const answer = await deliver(await start(app), await signed())
  expect([answer.status, answer.json?.code]).toEqual([400, 'body_incomplete'])
})

// Fastify rejects a QUERY without a content type before a route runs. Early releases of Node 20 do not know the method.
test.runIf(METHODS.includes('QUERY'))('QUERY without a content type is answered 405', async () => {
  const app = fastify()
  app.register(fastifyPlugin, { ...options(), handler: async () => 'own' })
  const answer = await request(await start(app), { method: 'QUERY' })
  expect([answer.status, answer.json?.code]).toEqual([405, 'method_not_allowed'])
})

test.each([
  ['no path', { secret, store: memoryStore(), handler: () => {} }, /^path must be a string$/],
  [
    'a path without a slash',
    { path: 'webhooks', receiver: {} },
    /^path must begin with \/, such as \/webhooks$/,
  ],
  [
    'url for path',
    { url: '/webhooks', receiver: {} },
    /^path must be a string; the plugin takes path, not url$/,
  ],
  [
    'neither receiver nor handler',
    { path: '/webhooks', secret, store: memoryStore() },
    /^give the plugin a receiver, or secret, store and handler$/,
  ],
])('%s is a configuration error when the application starts', async (_what, wrong, why) => {
  const app = fastify()
  app.register(fastifyPlugin, wrong as never)
  const detail = expect.stringMatching(why)
  await expect(app.ready()).rejects.toMatchObject({ code: 'invalid_option', detail })
})

function raise(error: Error): never {
  throw error
}
