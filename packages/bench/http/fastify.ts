import framework, { type FastifyInstance } from 'fastify'
import { fastifyPlugin } from 'webhook-inbox/fastify'
import type { Contenders } from './contender.js'
import { constructEvent, nobody, receiverOf } from './contents.js'

/** The parser that the documentation of Fastify shows for raw bytes. */
function withBuffers(): FastifyInstance {
  const app = framework()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  return app
}

async function serverOf(app: FastifyInstance) {
  await app.ready()
  return app.server
}

export const fastify: Contenders = {
  bare: (work) =>
    serverOf(
      withBuffers().post('/webhooks', (_request, reply) => {
        work()
        reply.send()
      }),
    ),

  stripe: (work) =>
    serverOf(
      withBuffers().post('/webhooks', async (request) => {
        constructEvent(request.body as Buffer, request.headers['stripe-signature'])
        work()
        return { received: true }
      }),
    ),

  adapter: (work) =>
    serverOf(framework().register(fastifyPlugin, { receiver: nobody(work), path: '/webhooks' })),

  ours: (work) =>
    serverOf(framework().register(fastifyPlugin, { receiver: receiverOf(work), path: '/webhooks' })),
}
