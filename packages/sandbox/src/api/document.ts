import { Problem, ServiceEvent, SnakeCaseServiceEvent } from 'webhook-inbox-client/schemas'
import * as z from 'zod'
import type { Api } from './app.js'

const info = {
  title: 'Wallet, transfer and webhook service',
  version: '0.1.0',
  summary: 'As the sandbox of webhook-inbox serves it.',
  description:
    'Generated from the definitions that validate requests. `x-assumed` names the gap of the published interface that ' +
    'a part rests on; `docs/gaps.md` lists the gaps. What has no such mark is published.',
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags = [
  { name: 'Wallets', description: 'Wallets and their balances.' },
  { name: 'Transfers', description: 'Money that moves over a rail.' },
  { name: 'Webhook subscriptions', description: 'Which events are delivered where.' },
  { name: 'Events', description: 'What happened.' },
  { name: 'Approvals', description: 'Decisions that transfers wait for.' },
  { name: 'Ledger', description: 'The journal behind the balances.' },
  { name: 'Not published', description: 'Areas that the interface names and does not publish.' },
]

const text = { type: 'string' as const }

const headers = {
  'Request-Id': {
    description: 'Identifies the request. Problems repeat it.',
    schema: text,
    'x-assumed': 'G24',
  },
  'Sandbox-Assumption': {
    description: 'The gaps of the interface on which the response depends.',
    schema: text,
    'x-assumed': 'G1',
  },
  'Sandbox-Warning': {
    description:
      'What was accepted although it is probably a mistake, such as an event type that is not known.',
    schema: text,
    'x-assumed': 'I11',
  },
  'Idempotency-Replayed': {
    description: '`true` if the response is that of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string' as const, enum: ['true'] },
    'x-assumed': 'I16',
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    schema: { type: 'string' as const, pattern: '^\\d+$' },
    'x-assumed': 'G25',
  },
  'WWW-Authenticate': { description: 'RFC 6750.', schema: text, 'x-assumed': 'I19' },
}

const meanings: Readonly<Record<string, string>> = {
  400: 'The request cannot be read.',
  401: 'No valid credential was given.',
  403: 'The credential may only read.',
  404: 'There is no such resource.',
  409: 'A request with this Idempotency-Key is under way.',
  413: 'The body has more than 256 KiB.',
  415: 'The body is not JSON.',
  421: 'The Host header does not name this sandbox.',
  422: 'A field is not valid, the state forbids it, or the Idempotency-Key belongs to another request.',
  429: 'Too many requests.',
  500: 'The sandbox failed.',
  503: 'The sandbox is closing.',
  501: 'The interface does not publish this area.',
  default: 'Any other response is a problem too.',
}

function problemResponse(status: string) {
  const names = ['Request-Id', 'Sandbox-Assumption']
  if (status === '409' || status === '429') {
    names.push('Retry-After')
  }
  if (status === '401') {
    names.push('WWW-Authenticate')
  }
  return {
    description: meanings[status] as string,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

const signatureHeaders = z.object({
  'Service-Signature': z.string().meta({
    description: 'HMAC-SHA256 under the secret of the subscription: t=<unix_time>,v1=<signature>.',
    examples: ['t=1767225600,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd'],
  }),
  'Service-Event-Id': z
    .string()
    .meta({ description: 'Equal to the id of the body.', examples: ['evt_01K4Z'] }),
})

/** As references: a union of unions would be written as one list. */
const envelopes = ['Event', 'SnakeCaseEvent'].map((name) => ({ $ref: `#/components/schemas/${name}` }))

/** The OpenAPI document of an app whose routes are registered. Call it once for an app. */
export function describe(app: Api) {
  const registry = app.openAPIRegistry
  for (const [name, header] of Object.entries(headers)) {
    registry.registerComponent('headers', name, header)
  }
  for (const status of Object.keys(meanings)) {
    registry.registerComponent('responses', status, problemResponse(status))
  }
  registry.register('Problem', Problem)
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'Authorization: Bearer <API_KEY>. The sandbox has sk_sandbox_local and sk_sandbox_readonly.',
  })
  registry.register('Event', ServiceEvent)
  registry.register('SnakeCaseEvent', SnakeCaseServiceEvent)
  registry.registerWebhook({
    method: 'post',
    path: 'event',
    operationId: 'receiveEvent',
    summary: 'An event is delivered',
    description:
      'Delivered at least once, in any order. Verify the signature of each delivery before you process it.',
    tags: ['Events'],
    security: [],
    request: {
      headers: signatureHeaders,
      body: {
        required: true,
        description: 'One of the two envelopes, as the subscription has it.',
        content: { 'application/json': { schema: { oneOf: envelopes } } },
      },
    },
    responses: {
      '2XX': { description: 'The event is durably stored. It is not delivered again.' },
      410: { description: 'Disables the subscription (our assumption, I7).' },
      default: {
        description: 'The event may be delivered again. Retry-After is honored (our assumption, G26).',
      },
    },
  })
  return app.getOpenAPI31Document(
    {
      openapi: '3.1.0',
      info,
      servers: [{ url: 'http://127.0.0.1:4010', description: 'The sandbox on your own machine.' }],
      tags,
      security: [{ bearer: [] }],
    },
    { unionPreferredType: 'anyOf' },
  )
}
