import type { Context } from 'hono'
import { PageQuery } from 'webhook-inbox-client/schemas'
import * as z from 'zod'
import type { Api, Env } from '../api/app.js'
import { pageRecord } from '../api/pages.js'
import { Problem } from '../api/problems.js'
import { attemptsOf } from '../delivery/attempts.js'
import { attemptsSince, type Delivery, listDeliveries, readDelivery } from '../delivery/deliveries.js'
import { retry } from '../delivery/replay.js'
import { sendEdited, signatureModes } from '../delivery/send-edited.js'
import type { Service } from '../service.js'
import { attemptRecord, deliveryRecord, lastRecord } from './control-records.js'
import { bodyOf, queryOf } from './input.js'
import { refusing } from './replay-problem.js'

const states = ['pending', 'delivered', 'exhausted', 'canceled'] as const

const listQuery = PageQuery.extend({
  eventId: z.string().optional(),
  subscriptionId: z.string().optional(),
  state: z.enum(states, `must be one of ${states.join(', ')}`).optional(),
})

const recent = z.object({
  /** By the sandbox's clock. */
  seconds: z.coerce.number().min(0).default(600),
})

const edited = z.strictObject({
  /** As text; it is sent as UTF-8. */
  body: z.string(),
  signature: z.enum(signatureModes, `must be one of ${signatureModes.join(', ')}`).default('fresh'),
  ageSeconds: z.int().min(-31_536_000).max(31_536_000).default(0),
})

/** `GET deliveries[/{id}]`, `GET attempts`, `POST deliveries/{id}/retry`, `POST deliveries/{id}/send` */
export function deliveryRoutes(app: Api, service: Service): void {
  const { database, clock } = service

  app.get('/_sandbox/deliveries', (c) => {
    const { limit, cursor, ...filter } = queryOf(c, listQuery)
    const page = pageRecord(
      { limit, cursor },
      (wanted) => listDeliveries(database, wanted, filter),
      deliveryRecord,
    )
    return c.json(page)
  })

  app.get('/_sandbox/attempts', (c) => {
    const attempts = attemptsSince(database, clock.now() - queryOf(c, recent).seconds * 1000)
    const data = attempts.map(({ deliveryId, ...rest }) => ({ deliveryId, ...lastRecord(rest) }))
    return c.json({ data })
  })

  app.get('/_sandbox/deliveries/:id', (c) => c.json(fullRecord(service, deliveryOf(c))))

  app.post('/_sandbox/deliveries/:id/retry', async (c) => {
    const delivery = await refusing(retry(service, c.req.param('id')))
    return c.json(fullRecord(service, delivery))
  })

  app.post('/_sandbox/deliveries/:id/send', async (c) => {
    const { body, ...rest } = await bodyOf(c, edited)
    const request = { ...rest, body: Buffer.from(body) }
    const delivery = await refusing(sendEdited(service, c.req.param('id'), request))
    return c.json(fullRecord(service, delivery), 201)
  })

  function deliveryOf(c: Context<Env>): Delivery {
    const id = c.req.param('id') ?? ''
    const delivery = readDelivery(database, id)
    if (delivery) {
      return delivery
    }
    throw new Problem('not_found', `There is no delivery ${id}.`)
  }
}

/** A delivery with its attempts, each with the exact bytes of the request and the response. */
function fullRecord({ database }: Pick<Service, 'database'>, delivery: Delivery) {
  return { ...deliveryRecord(delivery), tries: attemptsOf(database, delivery).map(attemptRecord) }
}
