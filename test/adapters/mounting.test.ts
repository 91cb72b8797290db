import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { expressHandler } from '../../adapters/express.js'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { fetchHandler } from '../../adapters/fetch.js'
import { koaHandler } from '../../adapters/koa.js'
import { lambdaHandler } from '../../adapters/lambda.js'
import { nextHandler, nextPagesHandler } from '../../adapters/next.js'
import { nodeHandler } from '../../adapters/node.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'

const handlers = {
  expressHandler,
  fetchHandler,
  koaHandler,
  lambdaHandler,
  nextHandler,
  nextPagesHandler,
  nodeHandler,
}

const options = { secret: 'whsec_test_secret', store: memoryStore(), logger: false as const }

const mistakes = [options, undefined, null, 'receiver', {}]

test.each(Object.entries(handlers))('%s throws when it is mounted without a receiver', (name, handler) => {
  for (const mistake of mistakes) {
    const mount = () => handler(mistake as unknown as Receiver)
    expect(mount).toThrow(expect.objectContaining({ code: 'invalid_option' }))
    expect(mount).toThrow(
      `${name} takes a receiver, and was given something else. Pass createReceiver({ ... }), not its options`,
    )
  }
})

test('a receiver that throws when it is read is a wrong receiver, and its error is kept', () => {
  const cause = new Error('a getter of yours')
  const receiver = {
    get receive(): never {
      throw cause
    },
  }
  expect(() => nodeHandler(receiver as never)).toThrow(
    expect.objectContaining({ code: 'invalid_option', detail: 'the receiver must be readable', cause }),
  )
})

test.each(Object.entries(handlers))('%s takes a receiver and its probes', (_, handler) => {
  const receiver = createReceiver({ ...options, fallback: () => {} })
  for (const mounted of [receiver, receiver.liveness(), receiver.readiness()]) {
    expect(handler(mounted as Receiver)).toBeTypeOf('function')
  }
})

test('fastifyPlugin rejects a receiver and a handler together', async () => {
  const receiver = createReceiver({ ...options, fallback: () => {} })
  const app = Fastify().register(fastifyPlugin, { path: '/', receiver, handler: () => {} } as never)
  await expect(Promise.resolve(app.ready())).rejects.toMatchObject({
    code: 'invalid_option',
    detail: 'give the plugin a receiver or a handler, not both',
  })
})

test('fastifyPlugin rejects when it is registered without a receiver', async () => {
  for (const mistake of mistakes) {
    const app = Fastify().register(fastifyPlugin, { path: '/', receiver: mistake as unknown as Receiver })
    await expect(Promise.resolve(app.ready())).rejects.toMatchObject({
      code: 'invalid_option',
      detail: expect.stringMatching(/^fastifyPlugin takes a receiver, and was given something else/),
    })
  }
})
