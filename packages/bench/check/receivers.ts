import express, { type Express, type Request } from 'express'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'

/** One receiver, as the documentation of its library shows it. */
export interface Candidate {
  readonly name: string
  /** What `check` signs with. */
  readonly scheme?: string
  mount(app: Express, path: string, work: (event: { id: string }) => Promise<void>): void
}

export const secret = 'whsec_bG9jYWwgc2VjcmV0IGZvciB0aGUgdGFibGU='

const idTimestampBody = 'content=id.timestamp.body,encoding=base64,key=base64,keyPrefix=whsec_'

export const candidates: readonly Candidate[] = [
  {
    name: 'stripe',
    mount(app, path, work) {
      app.post(path, express.raw({ type: 'application/json' }), async (request, response) => {
        let event: { id: string; type: string }
        try {
          const header = request.headers['service-signature'] as string
          event = Stripe.webhooks.constructEvent(request.body, header, secret) as never
        } catch (error) {
          response.status(400).send(`Webhook Error: ${(error as Error).message}`)
          return
        }
        await take(event, work)
        response.json({ received: true })
      })
    },
  },
  {
    name: 'svix',
    scheme: idTimestampBody,
    mount(app, path, work) {
      const webhook = new SvixWebhook(secret)
      app.post(path, express.raw({ type: 'application/json' }), async (request, response) => {
        let event: { id: string; type: string }
        try {
          event = webhook.verify(request.body, namedLike('svix', request)) as never
        } catch {
          response.status(400).json({})
          return
        }
        await take(event, work)
        response.json({})
      })
    },
  },
  {
    name: 'standardwebhooks',
    scheme: idTimestampBody,
    mount(app, path, work) {
      const webhook = new StandardWebhook(secret)
      app.post(path, express.raw({ type: 'application/json' }), async (request, response) => {
        let event: { id: string; type: string }
        try {
          event = webhook.verify(request.body, namedLike('webhook', request)) as never
        } catch {
          response.status(400).json({})
          return
        }
        await take(event, work)
        response.json({})
      })
    },
  },
  {
    name: 'webhook-inbox',
    mount(app, path, work) {
      const receiver = createReceiver({ secret, store: memoryStore(), fallback: work, logger: false })
      app.all(path, expressHandler(receiver))
    },
  },
]

/** Their examples switch over the type and ignore what they do not know. */
async function take(event: { id: string; type: string }, work: (event: { id: string }) => Promise<void>) {
  switch (event.type) {
    case 'unused':
      break
    default:
      await work(event)
  }
}

/** Both libraries read three headers of their own, so that a user must translate ours. */
function namedLike(prefix: string, { headers }: Request): Record<string, string> {
  const elements = String(headers['service-signature'] ?? '').split(',')
  const of = (tag: string) =>
    elements.filter((each) => each.startsWith(tag)).map((each) => each.slice(tag.length))
  return {
    [`${prefix}-id`]: String(headers['service-event-id'] ?? ''),
    [`${prefix}-timestamp`]: of('t=')[0] ?? '',
    [`${prefix}-signature`]: of('v1=')
      .map((signature) => `v1,${signature}`)
      .join(' '),
  }
}
