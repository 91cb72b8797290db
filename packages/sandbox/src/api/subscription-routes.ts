import { createRoute } from '@hono/zod-openapi'
import {
  CreatedWebhookSubscription,
  knownEventTypes,
  PageQuery,
  pageOf,
  WebhookSubscription,
  WebhookSubscriptionRequest,
} from 'webhook-inbox-client/schemas'
import * as z from 'zod'
import { wants } from '../delivery/event-filter.js'
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  readSubscription,
} from '../delivery/subscriptions.js'
import { checkTarget } from '../delivery/target.js'
import type { Service } from '../service.js'
import { createdSubscriptionRecord, subscriptionRecord } from './api-records.js'
import type { Api } from './app.js'
import { commit } from './commit.js'
import { idempotencyHeader } from './idempotency-header.js'
import { pageRecord } from './pages.js'
import { Problem } from './problems.js'
import {
  acceptJson,
  assume,
  createdOf,
  createProblems,
  deleteProblems,
  jsonBody,
  okOf,
  readProblems,
} from './route-parts.js'
import { warn } from './warnings.js'

const page = pageOf(WebhookSubscription, 'WebhookSubscriptionPage')

/** The interface shows the path without the prefix, and does not say whether the prefix applies. Both work. */
export function subscriptionRoutes(app: Api, service: Service): void {
  const { prefix } = service.options
  if (prefix !== 'v1') {
    serveAt(app, service, '/webhook-subscriptions', '')
  }
  if (prefix !== 'none') {
    serveAt(app, service, '/v1/webhook-subscriptions', 'V1')
  }
}

function serveAt(app: Api, service: Service, path: string, suffix: string): void {
  const { database } = service
  const routes = routesAt(path, suffix)
  app.openapi(routes.create, async (c) => {
    const request = c.req.valid('json')
    const problem = await checkTarget(request.url, service.targets)
    if (problem) {
      throw new Problem('invalid_request', `url ${problem}.`, { param: 'url', gap: 'I20' })
    }
    for (const pattern of request.events.filter((each) => !matchesKnownType(each))) {
      warn(c, `the interface names no event type that ${pattern} matches`)
    }
    const record = commit(c, service, path, () =>
      createdSubscriptionRecord(createSubscription(service, request)),
    )
    c.set('subject', `${record.id}  ${record.url}`)
    return c.json(record, 201)
  })
  app.openapi(routes.list, (c) => {
    const answer = pageRecord(
      c.req.valid('query'),
      (wanted) => listSubscriptions(database, wanted),
      subscriptionRecord,
    )
    return c.json(answer, 200)
  })
  app.openapi(routes.read, (c) => {
    const { id } = c.req.valid('param')
    const subscription = readSubscription(database, id)
    if (!subscription) {
      throw new Problem('not_found', `There is no subscription ${id}.`)
    }
    return c.json(subscriptionRecord(subscription), 200)
  })
  app.openapi(routes.remove, (c) => {
    const { id } = c.req.valid('param')
    const isDeleted = database.transaction(() => deleteSubscription(service, id))()
    if (!isDeleted) {
      throw new Problem('not_found', `There is no subscription ${id}.`)
    }
    return c.body(null, 204)
  })
}

const matchesKnownType = (pattern: string) => knownEventTypes.some((type) => wants([pattern], type))

function routesAt(path: string, suffix: string) {
  const tags = ['Webhook subscriptions']
  const params = z.object({ id: z.string().meta({ description: 'The subscription.' }) })
  return {
    create: createRoute({
      method: 'post',
      path,
      operationId: `createWebhookSubscription${suffix}`,
      summary: 'Subscribe to events',
      tags,
      request: { headers: idempotencyHeader, body: jsonBody(WebhookSubscriptionRequest) },
      responses: {
        201: createdOf(CreatedWebhookSubscription, 'The subscription, with its secret.'),
        ...createProblems,
      },
      ...acceptJson('G5', 'G12', 'G13'),
    }),
    list: createRoute({
      method: 'get',
      path,
      operationId: `listWebhookSubscriptions${suffix}`,
      summary: 'List subscriptions',
      tags,
      request: { query: PageQuery },
      responses: { 200: okOf(page, 'Subscriptions, the newest first.'), ...readProblems },
      ...assume('G5', 'G13', 'G14', 'G15'),
    }),
    read: createRoute({
      method: 'get',
      path: `${path}/{id}`,
      operationId: `getWebhookSubscription${suffix}`,
      summary: 'Read a subscription',
      tags,
      request: { params },
      responses: { 200: okOf(WebhookSubscription, 'The subscription.'), ...readProblems },
      ...assume('G5', 'G13', 'G14'),
    }),
    remove: createRoute({
      method: 'delete',
      path: `${path}/{id}`,
      operationId: `deleteWebhookSubscription${suffix}`,
      summary: 'Delete a subscription',
      tags,
      request: { params },
      responses: {
        204: {
          description: 'The subscription is deleted.',
          headers: { 'Request-Id': { $ref: '#/components/headers/Request-Id' } },
        },
        ...deleteProblems,
      },
      ...assume('G13', 'G14'),
    }),
  }
}
