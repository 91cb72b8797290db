import { Readable } from 'node:stream'
import Router from '@koa/router'
import Koa from 'koa'
import getRawBody from 'raw-body'
import { koaHandler, koaMiddleware } from '../../adapters/koa.js'
import { asMiddleware } from './suite/as-middleware.js'
import { listen } from './suite/listen.js'
import { adapterSuite, type Mount, type MountRoute, middlewareSuite } from './suite.js'

declare module 'koa' {
  interface Request {
    body?: unknown
    rawBody?: unknown
  }
}

/** Koa writes to stderr what a request throws; the suite throws a lot. */
function quietKoa(): Koa {
  const app = new Koa()
  app.silent = true
  return app
}

const serve = (app: Koa) => listen(app.callback())

/** What `koa-bodyparser` and its kin do to a request. */
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
    for (const middleware of before) app.use(middleware)
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
        if (body !== undefined) context.body = body
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
  afterParser: behind(parseJson),
  afterRawParser: behind(keepBytes),
  withSibling: behind(),
})
adapterSuite('Koa 3, middleware form', ...asMiddleware(mountRoute))
middlewareSuite('Koa 3', mountRoute)
