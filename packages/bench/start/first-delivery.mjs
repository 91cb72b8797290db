// Imports one library and answers one delivery with it, which its second argument holds as JSON.
import { spent } from './spent.mjs'

const [, , name, json] = process.argv
const { body: text, header, secret } = JSON.parse(json)
const body = Buffer.from(text)

const programs = {
  async nothing() {},

  async 'webhook-inbox'() {
    const { createReceiver, memoryStore } = await import('webhook-inbox')
    const handlers = { 'transfer.settled': () => {} }
    const receiver = createReceiver({ secret, store: memoryStore(), handlers, logger: false })
    const headers = { 'content-type': 'application/json', 'service-signature': header }
    const { outcome } = await receiver.receive({ method: 'POST', headers, body })
    if (outcome !== 'processed') {
      throw new Error(outcome)
    }
  },

  async 'webhook-inbox, verifySignature + JSON.parse'() {
    const { verifySignature } = await import('webhook-inbox')
    await verifySignature({ body, header, secret })
    JSON.parse(body.toString())
  },

  async stripe() {
    const { default: Stripe } = await import('stripe')
    Stripe.webhooks.constructEvent(body, header, secret)
  },

  async '@hookflo/tern'() {
    const { WebhookVerificationService } = await import('@hookflo/tern')
    const headers = { 'stripe-signature': header }
    const request = new Request('https://localhost/', { method: 'POST', headers, body })
    const { isValid } = await WebhookVerificationService.verify(request, { platform: 'stripe', secret })
    if (!isValid) {
      throw new Error('refused')
    }
  },
}

const startedAt = performance.now()
await programs[name]()
const answered = performance.now() - startedAt
process.stdout.write(JSON.stringify({ ...spent(), answered }))
