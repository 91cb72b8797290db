/** Checked by `tsc` and never run: which routes of Express have an event. */
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { ParamsDictionary } from 'express-serve-static-core'
import type { ParsedQs } from 'qs'
import { expectTypeOf } from 'vitest'
import {
  expressHandler,
  expressMiddleware,
  type Webhook,
  type WebhookLocals,
} from '../../adapters/express.js'
import { createReceiver, isEventOf, memoryStore, type TransferFailed } from '../../src/index.js'

const options = { secret: 'whsec_test_secret', store: memoryStore() }
const app = express()
const router = express.Router()

app.post('/webhooks', expressMiddleware(options), (req, res) => {
  expectTypeOf(req.webhook).toEqualTypeOf<Webhook>()
  expectTypeOf(req.webhook.event.id).toEqualTypeOf<string>()
  res.sendStatus(204)
})

router.post('/:tenant', expressMiddleware(options), async (req, res) => {
  const { event } = req.webhook
  expectTypeOf(event.type).toEqualTypeOf<string>()
  if (isEventOf(event, 'transfer.failed')) {
    expectTypeOf(event.data).toEqualTypeOf<TransferFailed>()
  }
  res.status(204).end()
})

app.post('/unguarded', (req, res) => {
  expectTypeOf(req.webhook).toEqualTypeOf<undefined>()
  // @ts-expect-error: no middleware stands before this route, so there is no event.
  res.send(req.webhook.event.id)
})

app.use(express.json(), (req, _res, next) => {
  expectTypeOf(req.webhook).toEqualTypeOf<undefined>()
  next()
})

const route: RequestHandler<ParamsDictionary, unknown, unknown, ParsedQs, WebhookLocals> = (req, res) => {
  expectTypeOf(req.webhook).toEqualTypeOf<Webhook>()
  res.sendStatus(204)
}
app.post('/declared', expressMiddleware(options), route)

// Ordinary code of Express compiles as before.
const plain = (req: Request, res: Response) => void res.json(req.params)
app.get('/plain', plain)
app.use('/mounted', router)
app.post('/receiver', expressHandler(createReceiver({ ...options, fallback: () => {} })))
app.use('/used', expressMiddleware(options))
