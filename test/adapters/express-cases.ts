import type express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { expressHandler, expressMiddleware, type Webhook } from '../../adapters/express.js'
import type { Receiver } from '../../src/receiver.js'
import type { ReceiveResult, Unacknowledged } from '../../src/result.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliver } from './suite/http.js'
import { listen } from './suite/listen.js'
import { eventually } from './suite/rig.js'
import { secret, signed } from './suite/signed.js'

/** The types of Express 4 and 5 differ, but what these tests use does not. Both have the types of Express 5 here. */
export type Express = typeof import('express')

/** Starts an application until the test ends. Resolves to the url of its webhook. */
export async function serve(app: express.Express): Promise<string> {
  const { url, close } = await listen(app)
  onTestFinished(() => void close())
  return url
}

export const options = () => ({ secret, store: memoryStore(), logger: false as const })

/** What only an application of Express shows. */
export function ownCases(express: Express): void {
  test('an error outside the handler goes to the error handler', async () => {
    const broken = { receive: () => Promise.reject(new Error('program error')) } as unknown as Receiver
    const app = express().post('/webhooks', expressHandler(broken))
    app.use(((error, _request, response, _next) => {
      response.status(500).send(`handled ${error.message}`)
    }) as express.ErrorRequestHandler)
    expect((await deliver(await serve(app), await signed())).text).toBe('handled program error')
  })

  test.each(['throws', 'rejects', 'calls next'])(
    'what a route %s is the cause, with onError after it',
    async (how) => {
      const causes: unknown[] = []
      const onResult = (result: ReceiveResult) => void causes.push((result as Unacknowledged).cause)
      const webhook = expressMiddleware({ ...options(), onResult })
      const app = express()
      const error = new TypeError('no such account')
      const route: express.RequestHandler = (_request, _response, next) => {
        if (how === 'throws') {
          throw error
        }
        // Express 4 does not await a route.
        return how === 'rejects' ? Promise.reject(error).catch(next) : next(error)
      }
      app.post('/webhooks', webhook)
      app.post('/webhooks', route)
      app.use(webhook.onError)
      app.use(
        ((_error, _request, response, _next) =>
          void response.status(500).send('mine')) as express.ErrorRequestHandler,
      )
      expect(await deliver(await serve(app), await signed())).toMatchObject({ status: 500, text: 'mine' })
      expect((causes[0] as Error).cause).toBe(error)
      expect(String(causes[0])).toContain('the route answered 500')
    },
  )

  test('a route that throws after a part of its response releases the event, with onError after it', async () => {
    const results: ReceiveResult[] = []
    const webhook = expressMiddleware({ ...options(), onResult: (result) => void results.push(result) })
    const error = new TypeError('no such account')
    const app = express()
    app.post('/webhooks', webhook, (_request, response) => {
      response.write('a part')
      throw error
    })
    app.use(webhook.onError)
    const url = await serve(app)
    // The error handler of Express destroys the connection of a response that has begun.
    await deliver(url, await signed()).catch(() => {})
    await eventually(() => results.length > 0, 'the route fails')
    expect(results[0]).toMatchObject({ code: 'handler_failed', cause: { cause: error } })
  })

  test('onError passes on the error of a route without the middleware', async () => {
    const webhook = expressMiddleware(options())
    const app = express().post('/webhooks', (_request, _response, next) =>
      next(new Error('of another route')),
    )
    app.use(webhook.onError)
    app.use(
      ((error, _request, response, _next) =>
        void response.status(500).send(error.message)) as express.ErrorRequestHandler,
    )
    expect((await deliver(await serve(app), await signed())).text).toBe('of another route')
  })

  test('a route finds the event in response.locals, beside what middleware put there', async () => {
    const app = express()
    app.use((_request, response, next) => {
      response.locals.tenant = 'acme'
      next()
    })
    app.post('/webhooks', expressMiddleware(options()), (_request, response) => {
      const { webhook, tenant } = response.locals as { webhook: Webhook; tenant?: unknown }
      response.json([webhook.event.id, tenant])
    })
    const delivery = await signed()
    expect((await deliver(await serve(app), delivery)).json).toEqual([delivery.id, 'acme'])
  })

  test('a parser after the middleware has no body to read', async () => {
    const app = express()
    app.use('/webhooks', expressMiddleware(options()))
    app.use(express.json())
    app.post('/webhooks', (_request, response) => void response.sendStatus(204))
    expect((await deliver(await serve(app), await signed())).status).toBe(204)
  })

  test('a missing route answers 404 and releases the event', async () => {
    let isThere = false
    const app = express()
    app.use('/webhooks', expressMiddleware(options()))
    app.post('/webhooks', (_request, response, next) => (isThere ? void response.sendStatus(204) : next()))
    const url = await serve(app)
    const delivery = await signed()
    expect((await deliver(url, delivery)).status).toBe(404)
    isThere = true
    expect((await deliver(url, delivery)).status).toBe(204)
  })
}
