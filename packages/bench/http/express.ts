import { createServer, type RequestListener } from 'node:http'
import framework from 'express'
import { expressHandler } from 'webhook-inbox/express'
import type { Contenders } from './contender.js'
import { constructEvent, nobody, receiverOf } from './contents.js'
import { drain } from './node.js'

const serve = (app: unknown) => createServer(app as RequestListener)

export const express: Contenders = {
  bare: (work) => serve(framework().post('/webhooks', (request, response) => drain(request, response, work))),

  stripe: (work) =>
    serve(
      framework().post(
        '/webhooks',
        framework.raw({ type: 'application/json', limit: '1mb' }),
        (request, response) => {
          constructEvent(request.body, request.headers['stripe-signature'])
          work()
          response.json({ received: true })
        },
      ),
    ),

  adapter: (work) => serve(framework().post('/webhooks', expressHandler(nobody(work)))),

  ours: (work) => serve(framework().post('/webhooks', expressHandler(receiverOf(work)))),
}
