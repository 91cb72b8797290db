import type express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { expressHandler, expressMiddleware } from '../../adapters/express.js'
import type { Receiver } from '../../src/receiver.js'
import type { ReceiveResult, Unacknowledged } from '../../src/result.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliver, RawConnection, rawRequest } from './suite/http.js'
import { listen } from './suite/listen.js'
import { eventually, gate } from './suite/rig.js'
import { headerLines, secret, signed } from './suite/signed.js'

/** The types of Express 4 and 5 differ, but what these tests use does not. Both have the types of Express 5 here. */
export type Express = typeof import('express')

/** What only an application of Express shows. */
export function ownCases(express: Express): void {
  const serve = async (app: express.Express) => {
    const { url, close } = await listen(app)
    onTestFinished(() => void close())
    return url
  }
  const options = () => ({ secret, store: memoryStore(), logger: false as const })

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

  test('middleware that patches the response works before and after the receiver', async () => {
    const app = express()
    app.use((_request, response, next) => {
      const { writeHead } = response
      response.writeHead = ((...args: Parameters<typeof writeHead>) => {
        response.setHeader('x-before', 'yes')
        return writeHead.apply(response, args)
      }) as typeof writeHead
      next()
    })
    app.post('/webhooks', expressMiddleware(options()), (_request, response, next) => {
      const { end } = response
      response.end = ((...args: Parameters<typeof end>) => {
        response.setHeader('x-behind', 'yes')
        return end.apply(response, args)
      }) as typeof end
      next()
    })
    app.post('/webhooks', (_request, response) => void response.sendStatus(204))
    const { status, headers } = await deliver(await serve(app), await signed())
    expect([status, headers['x-before'], headers['x-behind']]).toEqual([204, 'yes', 'yes'])
  })

  test('a second answer of a route throws, and the first is sent', async () => {
    const codes: unknown[] = []
    const app = express()
    app.post('/webhooks', expressMiddleware(options()), (_request, response) => {
      response.status(201).json({ first: true })
      expect([response.headersSent, response.writableEnded]).toEqual([true, true])
      for (const again of [
        () => response.json({ second: 'longer than the first' }),
        () => response.writeHead(500),
      ]) {
        try {
          again()
        } catch (error) {
          codes.push((error as { code?: string }).code)
        }
      }
    })
    const answer = await deliver(await serve(app), await signed())
    expect([answer.status, answer.text]).toEqual([201, '{"first":true}'])
    expect(codes).toEqual(['ERR_HTTP_HEADERS_SENT', 'ERR_HTTP_HEADERS_SENT'])
  })

  test('a route may write with callbacks and reuse its buffer', async () => {
    let hasEnded = false
    const app = express()
    app.post('/webhooks', expressMiddleware(options()), async (_request, response) => {
      const buffer = Buffer.alloc(1)
      for (const byte of 'abc') {
        buffer.write(byte)
        await new Promise((resolve) => response.write(buffer, resolve))
      }
      await new Promise<void>((resolve) => response.end(resolve))
      hasEnded = true
    })
    const answer = await deliver(await serve(app), await signed())
    expect([answer.status, answer.text]).toEqual([200, 'abc'])
    await eventually(() => hasEnded, 'the callback of end()')
  })

  test('a write after the end of the response is dropped', async () => {
    const app = express()
    app.post('/webhooks', expressMiddleware(options()), (_request, response) => {
      response.end('a')
      response.write('b')
      response.end('c')
    })
    const answer = await deliver(await serve(app), await signed())
    expect([answer.status, answer.text]).toEqual([200, 'a'])
  })

  test('a response that replaces the route’s keeps earlier headers and drops those of the route', async () => {
    const app = express()
    app.use((_request, response, next) => {
      response.setHeader('x-frame-options', 'DENY')
      next()
    })
    const guarded = expressMiddleware({ ...options(), handlerTimeoutSeconds: 0.2 })
    app.post('/webhooks', guarded, (_request, response) => {
      response.removeHeader('x-frame-options')
      response.setHeader('set-cookie', 'of=route')
      response.statusMessage = 'Of the route'
    })
    const connection = new RawConnection(await serve(app))
    const delivery = await signed()
    connection.write(rawRequest('http://x/webhooks', 'POST', headerLines(delivery)))
    connection.write(delivery.body)
    const { headers } = await connection.answer()
    expect([headers['x-frame-options'], headers['set-cookie']]).toEqual(['DENY', undefined])
    expect(connection.text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
    connection.destroy()
  })

  test('a late response without a status counts as 200, although another response was sent', async () => {
    const slow = gate()
    let runs = 0
    const app = express()
    const guarded = expressMiddleware({ ...options(), handlerTimeoutSeconds: 0.2 })
    app.post('/webhooks', guarded, async (_request, response) => {
      runs++
      await slow.opened
      response.json({ late: true })
    })
    const url = await serve(app)
    const delivery = await signed()
    expect((await deliver(url, delivery)).status).toBe(503)
    slow.open()
    await eventually(async () => (await deliver(url, delivery)).json?.outcome === 'duplicate', 'a duplicate')
    expect(runs).toBe(1)
  })

  test('a status set after the first write is ignored, as it is without the middleware', async () => {
    const app = express()
    app.post('/webhooks', expressMiddleware(options()), (_request, response) => {
      response.status(202).write('a')
      response.status(500).end('b')
    })
    const answer = await deliver(await serve(app), await signed())
    expect([answer.status, answer.text]).toEqual([202, 'ab'])
  })

  test('a route may send trailers', async () => {
    const app = express()
    app.post('/webhooks', expressMiddleware(options()), (_request, response) => {
      response.setHeader('trailer', 'x-sum')
      response.write('a')
      response.addTrailers({ 'x-sum': '97' })
      response.end()
    })
    const connection = new RawConnection(await serve(app))
    const delivery = await signed()
    connection.write(rawRequest('http://x/webhooks', 'POST', headerLines(delivery)))
    connection.write(delivery.body)
    await connection.until((text) => text.endsWith('0\r\nx-sum: 97\r\n\r\n'), 'the trailer')
    connection.destroy()
  })

  test('a route that destroys the response releases the event', async () => {
    let isFirst = true
    const app = express()
    app.post('/webhooks', expressMiddleware(options()), (_request, response) => {
      if (isFirst) {
        response.destroy()
      } else {
        response.sendStatus(204)
      }
      isFirst = false
    })
    const url = await serve(app)
    const delivery = await signed()
    await expect(deliver(url, delivery)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect((await deliver(url, delivery)).status).toBe(204)
  })
}
