import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { WebhookVerificationService } from '@hookflo/tern'
import { verify as octokit } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { verifySignature } from 'webhook-inbox'
import { secret } from '../harness/bodies.js'
import { type Delivery, standardSecret } from './deliveries.js'

/** Verifies one delivery. Returns false, throws or rejects when it is not authentic. */
export interface Verifier {
  readonly name: string
  verify(delivery: Delivery): unknown
}

const key = createSecretKey(Buffer.from(secret))
/** For a header of the usual length, with a dot for its comma, and for a digest. */
const written = Buffer.alloc(80)
const signedHead = written.subarray(2, 13)
const given = written.subarray(16)
const made = Buffer.alloc(64)
const standard = new StandardWebhook(standardSecret)
const svix = new SvixWebhook(standardSecret)
const { webhooks } = Stripe
const { signature } = webhooks
if (!signature) {
  throw new Error('stripe has no signature.verifyHeader any more')
}

/**
 * Verifiers on Node. The first is the floor: `node:crypto`, used as its documentation shows. The second is the fastest
 * code we know that does the work of `verifySignature` for a usual header without checking its form.
 */
export const verifiers: readonly Verifier[] = [
  {
    name: 'floor: createHmac, digest, timingSafeEqual',
    verify({ body, timestamp, digest }) {
      const expected = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest()
      return timingSafeEqual(expected, Buffer.from(digest, 'hex'))
    },
  },
  {
    name: 'least: hex over reused buffers, header, clock and promise',
    async verify({ body, header }) {
      written.write(header, 'latin1')
      written[12] = 46
      made.write(createHmac('sha256', key).update(signedHead).update(body).digest('hex'), 'latin1')
      return timingSafeEqual(made, given) && Math.abs(Date.now() / 1000 - Number(header.slice(2, 12))) <= 300
    },
  },
  { name: 'webhook-inbox', verify: ({ body, header }) => verifySignature({ body, header, secret }) },
  {
    name: '@octokit/webhooks-methods, body given as a string',
    verify: ({ text, hubSignature }) => octokit(secret, text, hubSignature),
  },
  {
    name: '@octokit/webhooks-methods, body decoded',
    verify: ({ body, hubSignature }) => octokit(secret, body.toString(), hubSignature),
  },
  {
    name: 'stripe, signature.verifyHeader',
    verify: ({ body, header }) => signature.verifyHeader(body, header, secret, 300),
  },
  {
    name: 'stripe, constructEvent: JSON.parse too',
    verify: ({ body, header }) => webhooks.constructEvent(body, header, secret),
  },
  {
    name: 'svix: JSON.parse too',
    verify: ({ body, standardHeaders }) => svix.verify(body, standardHeaders),
  },
  {
    name: 'standardwebhooks, without JSON.parse',
    verify({ body, standardHeaders }) {
      standard.verify(body, standardHeaders, { jsonParse: false })
    },
  },
  {
    name: '@hookflo/tern, with its Request: JSON.parse too',
    async verify({ body, header }) {
      const request = new Request('https://localhost/', {
        method: 'POST',
        headers: { 'stripe-signature': header },
        body: body as BodyInit,
      })
      const config = { platform: 'stripe', secret, toleranceInSeconds: 300 } as const
      return (await WebhookVerificationService.verify(request, config)).isValid
    },
  },
]
