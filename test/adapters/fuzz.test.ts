import Router from '@koa/router'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import { expressHandler } from '../../adapters/express.js'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { koaHandler } from '../../adapters/koa.js'
import { nodeHandler } from '../../adapters/node.js'
import { fuzzSuite } from './suite/fuzz.js'
import { listen } from './suite/listen.js'

fuzzSuite('node:http', (receiver) => listen(nodeHandler(receiver)))

fuzzSuite('Express 5', (receiver) =>
  listen(express().set('env', 'test').all('/webhooks', expressHandler(receiver))),
)

fuzzSuite('Koa 3', (receiver) => {
  const app = new Koa()
  app.silent = true
  const router = new Router()
  router.all('/webhooks', koaHandler(receiver))
  return listen(app.use(router.routes() as Koa.Middleware).callback())
})

fuzzSuite('Fastify 5', async (receiver) => {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(fastifyPlugin, { receiver, path: '/webhooks' })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url: `${address}/webhooks`, close: () => app.close() }
})
