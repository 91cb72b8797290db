import Fastify from 'fastify'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { adapterSuite } from './suite.js'

adapterSuite('Fastify 5', async (receiver) => {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(fastifyPlugin, { receiver, path: '/webhooks' })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url: `${address}/webhooks`, close: () => app.close() }
})
