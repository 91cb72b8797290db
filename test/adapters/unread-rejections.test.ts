import Fastify from 'fastify'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { koaHandler } from '../../adapters/koa.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliver } from './suite/http.js'
import { listen } from './suite/listen.js'
import { secret, signed } from './suite/signed.js'

/** Each program adds a header to every response, as a program does for its own security headers. */
const programs: Readonly<Record<string, (receiver: Receiver) => Promise<string>>> = {
  async Fastify(receiver) {
    const app = Fastify({ forceCloseConnections: true })
    app.addHook('onSend', async (_request, reply) => void reply.header('x-of-program', 'yes'))
    await app.register(fastifyPlugin, { receiver, path: '/webhooks' })
    onTestFinished(() => app.close())
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`
  },
  async Koa(receiver) {
    const app = new Koa()
    app.use(async (context, next) => {
      await next()
      context.set('x-of-program', 'yes')
    })
    app.use(koaHandler(receiver) as Koa.Middleware)
    const { url, close } = await listen(app.callback())
    onTestFinished(() => void close())
    return url
  },
}

test.each(Object.entries(programs))(
  '%s answers itself, with the headers of the program, if the delivery arrived whole',
  async (_, serve) => {
    const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    const url = await serve(receiver)
    const delivery = await signed()
    const unsigned = { ...delivery, headers: { 'content-type': 'application/json' } }
    for (const [each, status] of [
      [unsigned, 401],
      [delivery, 200],
    ] as const) {
      const answer = await deliver(url, each)
      expect(answer.status, answer.text).toBe(status)
      expect(answer.headers).toMatchObject({ 'x-of-program': 'yes' })
    }
  },
)
