import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import getRawBody from 'raw-body'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { asMiddleware } from './suite/as-middleware.js'
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

/** A hook of a plugin that reads every JSON body for itself and keeps no bytes. */
const afterParser: Mount = async (receiver) => {
  const app = fastify()
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.headers['content-type'] === 'application/json') await getRawBody(payload, 'utf8')
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

adapterSuite('Fastify 5', mount, { afterParser, afterRawParser, withSibling: mount })
adapterSuite('Fastify 5, middleware form', ...asMiddleware(mountRoute))
middlewareSuite('Fastify 5', mountRoute, [
  {
    reason: 'Fastify destroys a stream given to a response that has finished, so the event is given back',
    tests: ['a late answer (a stream) is swallowed, and counts: the next delivery is a duplicate'],
  },
])
