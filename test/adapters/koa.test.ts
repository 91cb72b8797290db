import { Readable } from 'node:stream'
import Router from '@koa/router'
import Koa from 'koa'
import getRawBody from 'raw-body'
import { expect, onTestFinished, test } from 'vitest'
import { koaHandler, koaMiddleware } from '../../adapters/koa.js'
import { memoryStore } from '../../src/stores/memory.js'
import { asMiddleware } from './suite/as-middleware.js'
import { expectCause } from './suite/expect-cause.js'
import { deliver, RawConnection, rawRequest } from './suite/http.js'
import { listen } from './suite/listen.js'
import { eventually, gate, pause } from './suite/rig.js'
import { headerLines, secret, signed } from './suite/signed.js'
import { adapterSuite, type Mount, type MountRoute, middlewareSuite } from './suite.js'

declare module 'koa' {
  interface Request {
    body?: unknown
    rawBody?: unknown
  }
}

/** Without this option Koa writes every error of the suite to stderr. */
function quietKoa(): Koa {
  const app = new Koa()
  app.silent = true
  return app
}

const serve = (app: Koa) => listen(app.callback())

/** Parses a request as `koa-bodyparser` does. */
const parseJson: Koa.Middleware = async (context, next) => {
  context.request.body = {}
  if (context.is('application/json')) {
    const text = await getRawBody(context.req, 'utf8')
    Object.assign(context.request, { rawBody: text, body: JSON.parse(text || '{}') })
  }
  await next()
}

const keepBytes: Koa.Middleware = async (context, next) => {
  context.request.rawBody = await getRawBody(context.req)
  await next()
}

const behind =
  (...before: Koa.Middleware[]): Mount =>
  (receiver) => {
    const router = new Router()
    router.all('/webhooks', koaHandler(receiver))
    router.post('/sibling', parseJsonStrictly, (context) => {
      context.body = context.request.body
    })
    const app = quietKoa()
    for (const middleware of before) {
      app.use(middleware)
    }
    return serve(app.use(router.routes() as Koa.Middleware))
  }

const parseJsonStrictly: Koa.Middleware = async (context, next) => {
  try {
    context.request.body = JSON.parse(await getRawBody(context.req, 'utf8'))
  } catch {
    context.throw(400)
  }
  await next()
}

const mountRoute: MountRoute = (options, route) => {
  const router = new Router()
  router.all('/webhooks', koaMiddleware(options), async (context) => {
    context.set('x-route', 'yes')
    await route({
      webhook: context.state.webhook,
      reply: (status, body) => {
        context.status = status
        if (body !== undefined) {
          context.body = body
        }
      },
      stream: (status, chunks) => {
        context.status = status
        context.body = Readable.from(chunks)
      },
    })
  })
  return serve(quietKoa().use(router.routes() as Koa.Middleware))
}

adapterSuite('Koa 3', behind(), {
  ownsConnection: true,
  afterParser: behind(parseJson),
  afterRawParser: behind(keepBytes),
  withSibling: behind(),
})
adapterSuite('Koa 3, middleware form', ...asMiddleware(mountRoute))
test('what the route threw is the cause of the failure', () => expectCause(mountRoute))

middlewareSuite('Koa 3', mountRoute)

async function serveRoute(...before: Koa.Middleware[]): Promise<string> {
  const app = quietKoa()
  for (const middleware of before) {
    app.use(middleware)
  }
  const { url, close } = await serve(app)
  onTestFinished(() => void close())
  return url
}

const guard = () => koaMiddleware({ secret, store: memoryStore(), logger: false }) as Koa.Middleware

test('the final status of the response counts, after earlier middleware changed it', async () => {
  let isStrict = true
  const url = await serveRoute(
    async (context, next) => {
      await next()
      if (isStrict) {
        context.status = 500
      }
    },
    guard(),
    (context) => {
      context.status = 204
    },
  )
  const delivery = await signed()
  expect((await deliver(url, delivery)).status).toBe(500)
  isStrict = false
  expect((await deliver(url, delivery)).status).toBe(204)
})

test('when the sender hangs up between the route and the response, the event is done', async () => {
  const slow = gate()
  let runs = 0
  const url = await serveRoute(
    async (_context, next) => {
      await next()
      await slow.opened
    },
    guard(),
    (context) => {
      runs++
      context.status = 204
    },
  )
  const delivery = await signed()
  const connection = new RawConnection(url)
  connection.write(rawRequest(url, 'POST', headerLines(delivery)))
  connection.write(delivery.body)
  await eventually(() => runs === 1, 'the route runs')
  await pause(50)
  connection.destroy()
  await pause(50)
  slow.open()
  await eventually(async () => (await deliver(url, delivery)).json?.outcome === 'duplicate', 'a duplicate')
  expect(runs).toBe(1)
})

test('when the connection is cut just before Koa answers an error, the event is given back', async () => {
  let runs = 0
  const url = await serveRoute(
    async (context, next) => {
      try {
        await next()
      } finally {
        // Koa writes no error to a socket that is no longer writable, although the response has not closed yet.
        if (runs === 1) {
          context.req.socket.destroy()
        }
      }
    },
    guard(),
    (context) => {
      runs++
      if (runs === 1) {
        context.throw(422)
      }
      context.status = 204
    },
  )
  const delivery = await signed()
  await expect(deliver(url, delivery)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect((await deliver(url, delivery)).status).toBe(204)
  expect(runs).toBe(2)
})

test('a route that answers without Koa also waits until the event is marked done', async () => {
  let runs = 0
  const url = await serveRoute(guard(), (context) => {
    runs++
    context.respond = false
    setTimeout(() => context.res.writeHead(202).end('past Koa'), 30)
  })
  const delivery = await signed()
  const answer = await deliver(url, delivery)
  expect([answer.status, answer.text]).toEqual([202, 'past Koa'])
  expect((await deliver(url, delivery)).json?.outcome).toBe('duplicate')
  expect(runs).toBe(1)
})

test('a route that answers without Koa is not done when the sender hangs up', async () => {
  const slow = gate()
  let runs = 0
  const url = await serveRoute(guard(), (context) => {
    runs++
    context.respond = false
    context.status = 200
    void slow.opened.then(() => context.res.writeHead(runs === 1 ? 500 : 202).end())
  })
  const delivery = await signed()
  const connection = new RawConnection(url)
  connection.write(rawRequest(url, 'POST', headerLines(delivery)))
  connection.write(delivery.body)
  await eventually(() => runs === 1, 'the route runs')
  connection.destroy()
  expect((await deliver(url, delivery)).json?.outcome).toBe('in_progress')
  slow.open()
  await eventually(async () => (await deliver(url, delivery)).status === 202, 'the event is given back')
  expect(runs).toBe(2)
})

test('a route that sets no response gives 404 and releases the event', async () => {
  let runs = 0
  const url = await serveRoute(guard(), () => void runs++)
  const delivery = await signed()
  expect((await deliver(url, delivery)).status).toBe(404)
  expect((await deliver(url, delivery)).status).toBe(404)
  expect(runs).toBe(2)
})

test('a route that throws with a status gives that status', async () => {
  const url = await serveRoute(guard(), (context) => context.throw(422, 'not today'))
  const answer = await deliver(url, await signed())
  expect([answer.status, answer.text]).toEqual([422, 'not today'])
})

test('a route that throws after a part of its response gives 500 at once, and releases the event', async () => {
  let runs = 0
  const url = await serveRoute(guard(), ({ res }) => {
    runs++
    res.write('a part')
    throw new Error('no such account')
  })
  const delivery = await signed()
  expect((await deliver(url, delivery)).json).toMatchObject({ code: 'handler_failed' })
  expect((await deliver(url, delivery)).json).toMatchObject({ code: 'handler_failed' })
  expect(runs).toBe(2)
})
