import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import express from 'express'
import fastify from 'fastify'
import pg from 'pg'
import { createReceiver } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'
import { fastifyPlugin } from 'webhook-inbox/fastify'
import { localQueue } from 'webhook-inbox/queues/local'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { secret } from '../harness/bodies.js'

/** Each accepts a delivery: it verifies and parses it, and responds when Postgres has committed it. */
export const variants = ['by hand', 'ours'] as const
export type Variant = (typeof variants)[number]
export type DurableFramework = 'express' | 'fastify'

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE, max: 10 })

/** One INSERT through the pool, as a team writes it. */
async function keep(body: Buffer, header: string): Promise<void> {
  const [time, signature] = header.split(',').map((part) => part.slice(part.indexOf('=') + 1))
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  const given = Buffer.from(signature ?? '', 'hex')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Error('the signature does not match')
  }
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) {
    throw new Error('the signature is too old')
  }
  const { id, type } = JSON.parse(body.toString('utf8')) as { id: string; type: string }
  await pool.query('INSERT INTO inbox (id, type, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    id,
    type,
    body,
  ])
}

/** Accepts only: no process runs the events. */
const receiver = () =>
  createReceiver({
    secret,
    store: postgresStore({ pool }),
    queue: localQueue(),
    logger: false,
    fallback() {},
  })

export const contenders: Readonly<Record<DurableFramework, Record<Variant, () => Promise<Server>>>> = {
  express: {
    async 'by hand'() {
      const raw = express.raw({ type: 'application/json', limit: '1mb' })
      const app = express().post('/webhooks', raw, async (request, response) => {
        await keep(request.body, String(request.headers['service-signature']))
        response.json({ received: true })
      })
      return createServer(app)
    },
    async ours() {
      return createServer(express().post('/webhooks', expressHandler(receiver())))
    },
  },
  fastify: {
    async 'by hand'() {
      const app = fastify()
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      )
      app.post('/webhooks', async (request) => {
        await keep(request.body as Buffer, String(request.headers['service-signature']))
        return { received: true }
      })
      await app.ready()
      return app.server
    },
    async ours() {
      const app = fastify()
      app.register(fastifyPlugin, { receiver: receiver(), path: '/webhooks' })
      await app.ready()
      return app.server
    },
  },
}
