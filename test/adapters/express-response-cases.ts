import type express from 'express'
import { expect, test } from 'vitest'
import { expressMiddleware } from '../../adapters/express.js'
import { type Express, options, serve } from './express-cases.js'
import { deliver, RawConnection, rawRequest } from './suite/http.js'
import { eventually, gate } from './suite/rig.js'
import { headerLines, signed } from './suite/signed.js'

/** What a route may do with a response of Node that is buffered. */
export function responseCases(express: Express): void {
  test('middleware that patches the response works before and after the receiver', async () => {
    const app = express()
    app.use((_request, response, next) => {
      const { writeHead } = response
      response.writeHead = ((...args: Parameters<typeof writeHead>) => {
        if (!response.headersSent) {
          response.setHeader('x-before', 'yes')
        }
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
    const thrown: unknown[] = []
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
          thrown.push(error)
        }
      }
    })
    const answer = await deliver(await serve(app), await signed())
    expect([answer.status, answer.text]).toEqual([201, '{"first":true}'])
    const sent = {
      code: 'ERR_HTTP_HEADERS_SENT',
      message: expect.stringContaining('headers after they are sent'),
    }
    expect(thrown).toMatchObject([sent, sent])
  })

  test('a route may write with callbacks, which run once, and reuse its buffer', async () => {
    const called: string[] = []
    const app = express()
    app.post('/webhooks', expressMiddleware(options()), async (_request, response) => {
      const buffer = Buffer.alloc(1)
      for (const byte of 'abc') {
        buffer.write(byte)
        await new Promise<void>((resolve) => response.write(buffer, () => resolve(void called.push(byte))))
      }
      response.end(() => void called.push('end'))
    })
    const answer = await deliver(await serve(app), await signed())
    expect([answer.status, answer.text]).toEqual([200, 'abc'])
    await eventually(() => called.includes('end'), 'the callback of end()')
    expect(called).toEqual(['a', 'b', 'c', 'end'])
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

  test('a head that a route flushes is final, but not sent before the event is done', async () => {
    let isWhole = false
    const app = express()
    const guarded = expressMiddleware({ ...options(), handlerTimeoutSeconds: 0.2 })
    app.post('/webhooks', guarded, (_request, response) => {
      response.status(201).flushHeaders()
      if (isWhole) {
        response.status(500).end('own')
      }
    })
    const url = await serve(app)
    expect((await deliver(url, await signed())).status).toBe(503)
    isWhole = true
    const answer = await deliver(url, await signed())
    expect([answer.status, answer.text]).toEqual([201, 'own'])
  })

  test('a head that Node refuses is an error for the error handler', async () => {
    const app = express()
    app.post('/webhooks', expressMiddleware(options()), (_request, response) => {
      response.writeHead(200, { 'x-two-lines': 'a\nb' }).end()
    })
    app.use(
      ((error, _request, response, _next) =>
        void response.status(500).send(error.code)) as express.ErrorRequestHandler,
    )
    const answer = await deliver(await serve(app), await signed())
    expect([answer.status, answer.text]).toEqual([500, 'ERR_INVALID_CHAR'])
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
