import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { fastifyPlugin, type WebhookRoute } from '../../adapters/fastify.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliver, RawConnection, rawRequest } from './suite/http.js'
import { eventually, gate } from './suite/rig.js'
import { headerLines, secret, signed } from './suite/signed.js'

async function serve({ handler }: { readonly handler: WebhookRoute }): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  app.register(fastifyPlugin, { path: '/webhooks', secret, store: memoryStore(), logger: false, handler })
  onTestFinished(() => app.close())
  return `${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`
}

test('a handler that returned its reply but still runs is not done when the sender hangs up', async () => {
  const slow = gate()
  let runs = 0
  let signal: AbortSignal | undefined
  const url = await serve({
    handler: async (request, reply) => {
      runs++
      signal = request.webhook.signal
      void slow.opened.then(() => reply.code(204).send())
      return reply
    },
  })
  const delivery = await signed()
  const connection = new RawConnection(url)
  connection.write(rawRequest(url, 'POST', headerLines(delivery)))
  connection.write(delivery.body)
  await eventually(() => runs === 1, 'the handler runs')
  connection.destroy()
  await eventually(() => signal?.aborted === true, 'the signal fires')
  expect((await deliver(url, delivery)).json?.outcome).toBe('in_progress')
  slow.open()
  expect((await deliver(url, delivery)).json?.outcome).toBe('duplicate')
  expect(runs).toBe(1)
})

test('a handler that returns nothing after the sender hung up marks the event done', async () => {
  const slow = gate()
  let runs = 0
  const url = await serve({
    handler: async () => {
      runs++
      await slow.opened
    },
  })
  const delivery = await signed()
  const connection = new RawConnection(url)
  connection.write(rawRequest(url, 'POST', headerLines(delivery)))
  connection.write(delivery.body)
  await eventually(() => runs === 1, 'the handler runs')
  connection.destroy()
  setTimeout(slow.open, 100)
  expect((await deliver(url, delivery)).json?.outcome).toBe('duplicate')
  expect(runs).toBe(1)
})
