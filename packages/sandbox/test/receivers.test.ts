import { execFileSync } from 'node:child_process'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import { fastify } from 'fastify'
import Koa from 'koa'
import Stripe from 'stripe'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createReceiver, memoryStore, type Receiver } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'
import { fastifyPlugin } from 'webhook-inbox/fastify'
import { fetchHandler } from 'webhook-inbox/fetch'
import { koaHandler } from 'webhook-inbox/koa'
import { lambdaHandler } from 'webhook-inbox/lambda'
import { nextHandler } from 'webhook-inbox/next'
import { nodeHandler } from 'webhook-inbox/node'
import { shapeA, startReceiver, startTestSandbox } from './rig.js'

const secret = 'whsec_shared_with_the_receiver'

describe('a delivery is verified by other programs', () => {
  async function delivery() {
    const sandbox = await startTestSandbox()
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['transfer.settled'], secret })
    await sandbox.post('/v1/transfers', shapeA())
    await sandbox.advance({ seconds: 1 })
    await sandbox.idle()
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]]
    return { body, signature: headers['service-signature'] as string }
  }

  test('constructEvent of stripe-node, with the header renamed', async () => {
    const { body, signature } = await delivery()
    const { webhooks } = new Stripe('sk_test_none')
    const event = webhooks.constructEvent(body, signature, secret)
    expect(event.type).toBe('transfer.settled')
    expect(() => webhooks.constructEvent(body, signature, `${secret}x`)).toThrow()
    expect(() => webhooks.constructEvent(`${body} `, signature, secret)).toThrow()
  })

  test('openssl in a shell', async () => {
    const { body, signature } = await delivery()
    const [, time, expected] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
    const script = `{ printf '%s.' "$T"; cat; } | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.*= //'`
    const env = { ...process.env, T: time, SECRET: secret }
    expect(execFileSync('bash', ['-c', script], { input: body, env }).toString().trim()).toBe(expected)
  })
})

const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/** Each way to mount a receiver, as a port on loopback. */
const adapters: Record<string, (receiver: Receiver) => Promise<number>> = {
  node: (receiver) => listen(createServer(nodeHandler(receiver))),
  express: (receiver) => listen(createServer(express().all('/webhooks', expressHandler(receiver)))),
  koa: (receiver) => listen(createServer(new Koa().use(koaHandler(receiver)).callback())),
  async fastify(receiver) {
    const app = fastify()
    onTestFinished(() => app.close())
    await app.register(fastifyPlugin, { receiver, path: '/webhooks' })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return (app.server.address() as AddressInfo).port
  },
  fetch: (receiver) => serveFetch(fetchHandler(receiver)),
  next: (receiver) => serveFetch(nextHandler(receiver)),
  lambda(receiver) {
    const handle = lambdaHandler(receiver)
    return listen(
      createServer(async (request, response) => {
        const event = await lambdaEvent(request)
        const { statusCode, headers, body } = await handle(event as never)
        response.writeHead(statusCode, headers as never).end(body)
      }),
    )
  },
}

function serveFetch(fetch: (request: Request) => Promise<Response>): Promise<number> {
  return new Promise((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
    onTestFinished(() => void server.close())
  })
}

/** What API Gateway makes of a request (payload format 2.0). */
async function lambdaEvent(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) {
    chunks.push(chunk as Buffer)
  }
  return {
    version: '2.0',
    requestContext: { http: { method: request.method, path: request.url } },
    headers: request.headers,
    body: Buffer.concat(chunks).toString('base64'),
    isBase64Encoded: true,
  }
}

describe('a receiver of webhook-inbox takes each event once, in both envelopes, mounted with', () => {
  test.each(Object.keys(adapters))('%s', async (name) => {
    const sandbox = await startTestSandbox()
    const handled: string[] = []
    const receiver = createReceiver({
      secret,
      store: memoryStore(),
      handlers: {
        'transfer.settled': ({ data }) => void handled.push(data.transferId),
        'ledger.matched': ({ data }) => void handled.push(data.transferId),
      },
    })
    await receiver.start()
    onTestFinished(() => receiver.stop())
    const port = await (adapters[name] as (typeof adapters)[string])(receiver)
    const url = `http://127.0.0.1:${port}/webhooks`
    for (const envelope of ['camelCase', 'snake_case'] as const) {
      const { id } = await sandbox.subscribe({ url, events: ['*'], secret, envelope })
      const { body } = await sandbox.post('/v1/transfers', shapeA())
      await sandbox.advance({ seconds: 1 })
      await sandbox.idle()
      const settled = await sandbox.waitForDelivery({ type: 'transfer.settled', outcome: 'processed' })
      expect(handled.splice(0)).toEqual([body.id, body.id])
      await sandbox.replay(settled.eventId, { times: 3 })
      await sandbox.waitForDelivery({ eventId: settled.eventId, outcome: 'duplicate' })
      expect(handled).toEqual([])
      await sandbox.request('DELETE', `/webhook-subscriptions/${id}`)
    }
  })
})
