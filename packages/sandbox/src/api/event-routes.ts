import { createRoute } from '@hono/zod-openapi'
import { PageQuery, pageOf, ServiceEvent } from 'webhook-inbox-client/schemas'
import * as z from 'zod'
import { listEvents, readEvent } from '../delivery/events.js'
import type { Service } from '../service.js'
import { eventRecord } from './api-records.js'
import type { Api } from './app.js'
import { pageRecord } from './pages.js'
import { Problem } from './problems.js'
import { assume, okOf, readProblems } from './route-parts.js'

const tags = ['Events']

const list = createRoute({
  method: 'get',
  path: '/v1/events',
  operationId: 'listEvents',
  summary: 'List events',
  tags,
  request: { query: PageQuery },
  responses: { 200: okOf(pageOf(ServiceEvent, 'EventPage'), 'Events, the newest first.'), ...readProblems },
  ...assume('G14', 'G15', 'G20'),
})

const read = createRoute({
  method: 'get',
  path: '/v1/events/{id}',
  operationId: 'getEvent',
  summary: 'Read an event',
  tags,
  request: { params: z.object({ id: z.string().meta({ description: 'The event.' }) }) },
  responses: { 200: okOf(ServiceEvent, 'The event.'), ...readProblems },
  ...assume('G14', 'G20'),
})

export function eventRoutes(app: Api, { database }: Service): void {
  app.openapi(list, (c) => {
    const page = pageRecord(c.req.valid('query'), (wanted) => listEvents(database, wanted), eventRecord)
    return c.json(page, 200)
  })
  app.openapi(read, (c) => {
    const { id } = c.req.valid('param')
    const event = readEvent(database, id)
    if (!event) {
      throw new Problem('not_found', `There is no event ${id}.`)
    }
    return c.json(eventRecord(event), 200)
  })
}
