import * as z from 'zod'
import { WebhookSubscriptionId } from './identifiers.js'
import { assumed, openSet } from './meta.js'
import { mustBe } from './must-be.js'
import { Timestamp } from './timestamp.js'
import { webhookUrlProblem } from './webhook-url.js'

const url = z
  .string(mustBe('a string'))
  .max(2048, 'must have at most 2048 characters')
  .superRefine((text, context) => {
    const problem = webhookUrlProblem(text)
    if (problem) {
      context.addIssue({ code: 'custom', message: problem })
    }
  })
  .meta({
    description: 'Where deliveries go: https:, or http: on loopback.',
    examples: ['https://example.com/webhooks'],
    format: 'uri',
  })

const pattern = z
  .string(mustBe('a string'))
  .regex(/^(\*|[a-z0-9_]+(\.[a-z0-9_]+)*(\.\*)?)$/, 'must be an event type, prefix.* or *')
  .max(255, 'must have at most 255 characters')

const events = z
  .array(pattern, mustBe('an array of event types'))
  .min(1, 'must name at least one event type')
  .max(100, 'must have at most 100 event types')
  .meta({
    description: 'Event types. The wildcards * and prefix.* are our assumption.',
    examples: [['transfer.*', 'ledger.matched']],
    'x-assumed': 'I11',
  })

const Envelope = z
  .enum(['camelCase', 'snake_case'], 'must be "camelCase" or "snake_case"')
  .meta(assumed('G20', { description: 'Which of the two published envelopes is sent.' }))

/** Body of `POST /webhook-subscriptions`. */
export const WebhookSubscriptionRequest = z
  .strictObject({
    url,
    events,
    description: z.string(mustBe('a string')).max(255, 'must have at most 255 characters').optional(),
    envelope: Envelope.optional(),
  })
  .meta({ id: 'WebhookSubscriptionRequest', description: 'Deliver these events to this URL.' })
export type WebhookSubscriptionRequest = z.input<typeof WebhookSubscriptionRequest>

/** A subscription, as reads answer it: without its secret. */
export const WebhookSubscription = z
  .looseObject({
    id: WebhookSubscriptionId,
    url: z.string(),
    events: z.array(z.string()),
    description: z.string().optional(),
    envelope: openSet(['camelCase', 'snake_case'], 'G20'),
    status: openSet(['enabled', 'disabled'], 'G5'),
    createdAt: Timestamp.meta(assumed('G5')),
  })
  .meta(assumed('G5', { id: 'WebhookSubscription', description: 'A webhook subscription.' }))
export type WebhookSubscription = z.infer<typeof WebhookSubscription>

/** A subscription that was just created: the one answer that holds the secret. */
export const CreatedWebhookSubscription = z
  .looseObject({
    ...WebhookSubscription.shape,
    secret: z
      .string()
      .min(1)
      .meta(assumed('G5', { description: 'Signs each delivery to this URL. It is not shown again.' })),
  })
  .meta(
    assumed('G12', {
      id: 'CreatedWebhookSubscription',
      description: 'A webhook subscription with its secret.',
    }),
  )
export type CreatedWebhookSubscription = z.infer<typeof CreatedWebhookSubscription>
