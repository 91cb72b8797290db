import { createServer } from 'node:http'
import Koa from 'koa'
import getRawBody from 'raw-body'
import { koaHandler } from 'webhook-inbox/koa'
import type { Contenders } from './contender.js'
import { constructEvent, nobody, receiverOf } from './contents.js'

const serve = (middleware: Koa.Middleware) => createServer(new Koa().use(middleware).callback())

export const koa: Contenders = {
  bare: (work) =>
    serve(async (context) => {
      const chunks: Buffer[] = []
      context.req.on('data', (chunk) => chunks.push(chunk))
      await new Promise((resolve) => context.req.on('end', resolve))
      work()
      context.body = ''
      context.status = 200
    }),

  stripe: (work) =>
    serve(async (context) => {
      const length = context.get('content-length') || null
      const body = await getRawBody(context.req, { limit: '1mb', length })
      constructEvent(body, context.get('stripe-signature'))
      work()
      context.body = { received: true }
    }),

  adapter: (work) => serve(koaHandler(nobody(work))),

  ours: (work) => serve(koaHandler(receiverOf(work))),
}
