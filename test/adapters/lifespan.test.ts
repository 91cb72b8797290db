import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { expressMiddleware } from '../../adapters/express.js'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { koaMiddleware } from '../../adapters/koa.js'
import { ConfigurationError, StoreError } from '../../src/errors.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'

const secret = 'whsec_test_secret'
const refusing: Store = {
  ...memoryStore(),
  check: () => Promise.reject(new ConfigurationError('store_evicts', 'it evicts')),
}
const unreachable: Store = { ...memoryStore(), check: () => Promise.reject(new StoreError('it is down')) }

describe.each([
  ['Express', expressMiddleware],
  ['Koa', koaMiddleware],
])('the middleware of %s', (_, middleware) => {
  it('is started, described and stopped like a receiver', async () => {
    const lines: string[] = []
    const logger = { info: (line: string) => void lines.push(line), warn: () => {}, error: () => {} }
    const webhook = middleware({ secret, store: memoryStore(), logger })
    await webhook.start()
    expect(lines).toEqual([`webhook-inbox: ${webhook.describe()}`])
    await webhook.stop()
  })

  it('tells at its start of a store that cannot keep its promise', async () => {
    const webhook = middleware({ secret, store: refusing, logger: false })
    await expect(webhook.start()).rejects.toMatchObject({ code: 'store_evicts' })
  })
})

describe('the plugin of Fastify, in the middleware form', () => {
  const serverOn = (store: Store) =>
    Fastify().register(fastifyPlugin, { path: '/', secret, store, logger: false, handler: async () => 'ok' })

  it('keeps a server from starting on a store that cannot keep its promise', async () => {
    await expect(serverOn(refusing).ready()).rejects.toMatchObject({ code: 'store_evicts' })
  })

  it('lets a server start while the store is down', async () => {
    const server = serverOn(unreachable)
    await server.ready()
    await server.close()
  })
})
