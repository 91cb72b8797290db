import * as z from 'zod'
import { eventRecord } from '../api/api-records.js'
import type { Api } from '../api/app.js'
import { pageRecord } from '../api/pages.js'
import { listEvents } from '../delivery/events.js'
import { maxReplays, replay } from '../delivery/replay.js'
import type { Service } from '../service.js'
import { deliveryRecord } from './control-records.js'
import { emit } from './emit.js'
import { bodyOf, pageQueryOf } from './input.js'
import { refusing } from './replay-problem.js'

const emission = z.strictObject({
  type: z
    .string()
    .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, 'must be an event type such as transfer.settled')
    .max(255),
  data: z.record(z.string(), z.unknown()).default({}),
})

const replayRequest = z.strictObject({
  times: z.int().min(1).max(maxReplays).default(1),
  concurrent: z.boolean().default(false),
  signature: z.enum(['fresh', 'original']).default('fresh'),
  subscriptionId: z.string().optional(),
  newId: z.boolean().default(false),
})

/** `GET events`, `POST events`, `POST events/{id}/replay` */
export function eventRoutes(app: Api, service: Service): void {
  const { database } = service

  app.get('/_sandbox/events', (c) => {
    const page = pageRecord(pageQueryOf(c), (wanted) => listEvents(database, wanted), eventRecord)
    return c.json(page)
  })

  app.post('/_sandbox/events', async (c) => {
    const { type, data } = await bodyOf(c, emission)
    return c.json(eventRecord(emit(service, type, data)), 201)
  })

  app.post('/_sandbox/events/:id/replay', async (c) => {
    const request = await bodyOf(c, replayRequest)
    const deliveries = await refusing(replay(service, c.req.param('id'), request))
    return c.json({ data: deliveries.map(deliveryRecord) })
  })
}
