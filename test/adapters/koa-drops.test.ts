import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { koaMiddleware } from '../../adapters/koa.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliver, RawConnection, rawRequest } from './suite/http.js'
import { listen } from './suite/listen.js'
import { eventually, gate, pause } from './suite/rig.js'
import { headerLines, secret, signed } from './suite/signed.js'

test('a route that ends after the sender hung up marks the event done, also if an earlier middleware then throws', async () => {
  const slow = gate()
  let runs = 0
  const app = new Koa()
  app.silent = true
  // To a connection that is gone Koa writes no error, and does not end the response.
  app.use(async (context, next) => {
    await next()
    if (!context.writable) {
      throw new Error('the sender is gone')
    }
  })
  app.use(koaMiddleware({ secret, store: memoryStore(), logger: false }) as Koa.Middleware)
  app.use(async (context) => {
    runs++
    await slow.opened
    context.status = 204
  })
  const { url, close } = await listen(app.callback())
  onTestFinished(() => void close())
  const delivery = await signed()
  const connection = new RawConnection(url)
  connection.write(rawRequest(url, 'POST', headerLines(delivery)))
  connection.write(delivery.body)
  await eventually(() => runs === 1, 'the route runs')
  connection.destroy()
  await pause(50)
  slow.open()
  await eventually(async () => (await deliver(url, delivery)).json?.outcome === 'duplicate', 'a duplicate')
  expect(runs).toBe(1)
})

test('an earlier middleware that needs time may still answer for a route that threw', async () => {
  const app = new Koa()
  app.use(async (context, next) => {
    try {
      await next()
    } catch {
      await pause(50)
      context.status = 422
      context.body = 'not today'
    }
  })
  app.use(koaMiddleware({ secret, store: memoryStore(), logger: false }) as Koa.Middleware)
  app.use(() => {
    throw new Error('no such account')
  })
  const { url, close } = await listen(app.callback())
  onTestFinished(() => void close())
  const answer = await deliver(url, await signed())
  expect([answer.status, answer.text]).toEqual([422, 'not today'])
})
