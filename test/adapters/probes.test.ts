import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { expressHandler } from '../../adapters/express.js'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { fetchHandler } from '../../adapters/fetch.js'
import { koaHandler } from '../../adapters/koa.js'
import { lambdaHandler } from '../../adapters/lambda.js'
import { nextHandler } from '../../adapters/next.js'
import { nodeHandler } from '../../adapters/node.js'
import { StoreError } from '../../src/errors.js'
import type { Answering } from '../../src/lifespan/probes.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { lines, secret } from '../receiver/deliver.js'
import { never, scriptedStore } from '../receiver/scripted-store.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

afterAll(removeFiles)

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    await new Promise((resolve) => server.close(resolve))
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/probe`
}

type Ask = (method: string) => Promise<[status: number, body: string]>

const overHttp =
  (url: string): Ask =>
  async (method) => {
    const response = await fetch(url, { method })
    return [response.status, await response.text()]
  }

const byFetch =
  (handle: (request: Request) => Promise<Response>): Ask =>
  async (method) => {
    const response = await handle(new Request('http://host/probe', { method }))
    return [response.status, await response.text()]
  }

const adapters: [name: string, mount: (probe: Answering) => Promise<Ask>][] = [
  ['node', async (probe) => overHttp(await serve(nodeHandler(probe)))],
  ['Express', async (probe) => overHttp(await serve(express().all('/probe', expressHandler(probe))))],
  [
    'Koa',
    async (probe) => {
      const router = new Router().all('/probe', koaHandler(probe))
      return overHttp(await serve(new Koa().use(router.routes()).callback()))
    },
  ],
  [
    'Fastify',
    async (receiver) => {
      const fastify = Fastify()
      await fastify.register(fastifyPlugin, { path: '/probe', receiver })
      await fastify.ready()
      return overHttp(await serve((request, response) => fastify.routing(request, response)))
    },
  ],
  ['fetch', async (probe) => byFetch(fetchHandler(probe))],
  ['Next', async (probe) => byFetch(nextHandler(probe))],
  [
    'Lambda',
    async (probe) => async (method) => {
      const event = { rawPath: '/probe', headers: {}, requestContext: { http: { method } } }
      const { statusCode, body } = await lambdaHandler(probe)(event as never)
      return [statusCode, body]
    },
  ],
]

function receiverOn(check: () => Promise<never>) {
  const logger = lines()
  let isDown = false
  const real = scriptedStore()
  const store = { ...real, check: () => (isDown ? check() : real.check()) }
  const receiver = createReceiver({ secret, store, logger, fallback: () => {} })
  function setDown(down: boolean): void {
    isDown = down
  }
  return { receiver, logger, setDown }
}

const down = () => Promise.reject(new StoreError('connect ECONNREFUSED db.internal:5432'))

describe.each(adapters)('the probes on %s', (_, mount) => {
  it('say ready and alive, and never name the part that is down', async () => {
    const { receiver, logger, setDown } = receiverOn(down)
    const [ready, alive] = [await mount(receiver.readiness()), await mount(receiver.liveness())]
    expect(await ready('GET')).toEqual([200, '{"status":"ready"}'])
    expect(await alive('GET')).toEqual([200, '{"status":"alive"}'])
    expect((await ready('POST'))[0]).toBe(405)

    setDown(true)
    const later = await mount(receiver.readiness())
    expect(await later('GET')).toEqual([503, '{"status":"unavailable"}'])
    expect(await later('HEAD')).toEqual([503, ''])
    expect(await alive('GET')).toEqual([200, '{"status":"alive"}'])
    expect(logger.written.filter((line) => line.includes('db.internal'))).toHaveLength(1)
  })
})

const get = { method: 'GET', headers: {}, body: new Uint8Array() } as const

it('a store that does not answer is not ready, after its time', async () => {
  const { receiver, setDown } = receiverOn(() => never)
  setDown(true)
  const before = performance.now()
  expect(await receiver.readiness({ timeoutSeconds: 0.1 }).receive(get)).toMatchObject({ status: 503 })
  expect(performance.now() - before).toBeLessThan(5000)
})

it('requests of one moment share one question to the store', async () => {
  const store = scriptedStore()
  const probe = createReceiver({ secret, store, logger: false, fallback: () => {} }).readiness()
  await Promise.all(Array.from({ length: 50 }, () => probe.receive(get)))
  expect(store.calls).toEqual(['check'])
})

it('a queue that is not started is not ready', async () => {
  const queue = { guarantee: '', check: () => Promise.reject(new Error('not started')), consume: () => never }
  const store = sqliteStore(newFile())
  const receiver = createReceiver({ secret, store, queue, logger: false, fallback: () => {} })
  expect(await receiver.readiness().receive(get)).toMatchObject({ status: 503 })
})

it('says when it is ready again', async () => {
  const { receiver, logger, setDown } = receiverOn(down)
  const probe = receiver.readiness()
  setDown(true)
  expect(await probe.receive(get)).toMatchObject({ status: 503 })
  setDown(false)
  await expect.poll(() => probe.receive(get), { timeout: 10_000 }).toMatchObject({ status: 200 })
  expect(logger.written.at(-1)).toBe('info webhook-inbox: ready again')
})

it('rejects options that it cannot use', () => {
  const { receiver } = receiverOn(down)
  for (const timeoutSeconds of [0, -1, Number.NaN, 3601, '2' as never]) {
    expect(() => receiver.readiness({ timeoutSeconds })).toThrow(/timeoutSeconds/)
  }
  expect(() => receiver.readiness({ timeout: 1 } as never)).toThrow(/timeout/)
})
