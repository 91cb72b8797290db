import Router from '@koa/router'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expressMiddleware } from '../../adapters/express.js'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { koaMiddleware } from '../../adapters/koa.js'
import { ConfigurationError, StoreError } from '../../src/errors.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliver } from './suite/http.js'
import { listen } from './suite/listen.js'
import { gate, type Mounted, pause } from './suite/rig.js'
import { secret, signed } from './suite/signed.js'

const refusing: Store = {
  ...memoryStore(),
  check: () => Promise.reject(new ConfigurationError('store_evicts', 'it evicts')),
}
const unreachable: Store = { ...memoryStore(), check: () => Promise.reject(new StoreError('it is down')) }

describe.each([
  ['Express', expressMiddleware],
  ['Koa', koaMiddleware],
])('the middleware of %s', (_, middleware) => {
  it('is started and described like a receiver', async () => {
    const lines: string[] = []
    const logger = { info: (line: string) => void lines.push(line), warn: () => {}, error: () => {} }
    const webhook = middleware({ secret, store: memoryStore(), logger })
    await webhook.start()
    expect(lines).toEqual([expect.stringMatching(/^webhook-inbox: started with memory, without a queue/)])
    expect(webhook.describe()).toContain('store: memory')
  })

  it('rejects on start if the store cannot give its guarantee', async () => {
    const webhook = middleware({ secret, store: refusing, logger: false })
    await expect(webhook.start()).rejects.toMatchObject({ code: 'store_evicts' })
  })
})

describe('the plugin of Fastify, in the middleware form', () => {
  const serverOn = (store: Store) =>
    Fastify().register(fastifyPlugin, { path: '/', secret, store, logger: false, handler: async () => 'ok' })

  it('prevents a server from starting if the store cannot give its guarantee', async () => {
    await expect(serverOn(refusing).ready()).rejects.toMatchObject({ code: 'store_evicts' })
  })

  it('lets a server start while the store is down', async () => {
    const server = serverOn(unreachable)
    await server.ready()
    await server.close()
  })
})

type Route = () => Promise<void>

/** A server with a guarded route, and a function that stops it. */
const servers: [string, (route: Route) => Promise<{ mounted: Mounted; stop(): Promise<unknown> }>][] = [
  [
    'stop() of the middleware of Express',
    async (route) => {
      const webhook = expressMiddleware({ secret, store: memoryStore(), logger: false })
      const app = express().post('/webhooks', webhook, (_request, response) => {
        void route().then(() => response.sendStatus(204))
      })
      return { mounted: await listen(app), stop: () => webhook.stop() }
    },
  ],
  [
    'stop() of the middleware of Koa',
    async (route) => {
      const webhook = koaMiddleware({ secret, store: memoryStore(), logger: false })
      const router = new Router().post('/webhooks', webhook, async (context) => {
        await route()
        context.status = 204
      })
      const app = new Koa().use(router.routes() as Koa.Middleware)
      return { mounted: await listen(app.callback()), stop: () => webhook.stop() }
    },
  ],
  [
    'close() of Fastify',
    async (route) => {
      const server = Fastify({ forceCloseConnections: false })
      await server.register(fastifyPlugin, {
        path: '/webhooks',
        secret,
        store: memoryStore(),
        logger: false,
        handler: async (_request, reply) => {
          await route()
          return reply.code(204).send()
        },
      })
      const url = await server.listen({ port: 0, host: '127.0.0.1' })
      return { mounted: { url: `${url}/webhooks`, close: () => server.close() }, stop: () => server.close() }
    },
  ],
]

it.each(servers)('%s waits for the running route and its response', async (_, serve) => {
  const [begun, end] = [gate(), gate()]
  const order: string[] = []
  const { mounted, stop } = await serve(async () => {
    begun.open()
    await end.opened
    order.push('the route has ended')
  })
  onTestFinished(async () => void (await mounted.close()))
  const answer = deliver(mounted.url, await signed())
  await begun.opened
  const stopped = stop().then(() => order.push('stopped'))
  await pause(200)
  expect(order).toEqual([])
  end.open()
  expect((await answer).status).toBe(204)
  await stopped
  expect(order).toEqual(['the route has ended', 'stopped'])
})

it('close() of Fastify waits for a route that runs on after its delivery was answered', async () => {
  const [end, order] = [gate(), [] as string[]]
  const server = Fastify()
  await server.register(fastifyPlugin, {
    path: '/webhooks',
    secret,
    store: memoryStore(),
    logger: false,
    handlerTimeoutSeconds: 1,
    handler: async (_request, reply) => {
      await end.opened
      order.push('the route has ended')
      return reply.code(204).send()
    },
  })
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const answer = await deliver(`${url}/webhooks`, await signed())
  expect(answer.json?.code).toBe('handler_timeout')
  const stopped = server.close().then(() => order.push('stopped'))
  await pause(200)
  expect(order).toEqual([])
  end.open()
  await stopped
  expect(order).toEqual(['the route has ended', 'stopped'])
})
