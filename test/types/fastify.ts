/** Checked by `tsc` and never run: which routes of Fastify have an event. */
import fastify from 'fastify'
import { expectTypeOf } from 'vitest'
import { fastifyPlugin, type Webhook, type WebhookRequest } from '../../adapters/fastify.js'
import { createReceiver, memoryStore } from '../../src/index.js'

const options = { secret: 'whsec_test_secret', store: memoryStore() }
const app = fastify()

app.register(fastifyPlugin, {
  path: '/webhooks',
  ...options,
  handler: async (request, reply) => {
    expectTypeOf(request.webhook).toEqualTypeOf<Webhook>()
    expectTypeOf(request).toEqualTypeOf<WebhookRequest>()
    reply.code(204)
    return request.webhook.event.id
  },
})
app.register(fastifyPlugin, {
  path: '/receiver',
  receiver: createReceiver({ ...options, fallback: () => {} }),
})

app.post('/unguarded', async (request) => {
  // @ts-expect-error: the plugin does not serve this route, so there is no event.
  return request.webhook
})
