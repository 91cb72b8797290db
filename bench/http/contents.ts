import Stripe from 'stripe'
import { createReceiver, memoryStore, type Receiver } from 'webhook-inbox'
import { secret } from '../harness/bodies.js'

const stripe = new Stripe('sk_test_bench')

/** What an endpoint of stripe does with raw bytes; throws unless they are signed. */
export function constructEvent(body: Buffer, header: string | string[] | undefined): Stripe.Event {
  return stripe.webhooks.constructEvent(body, header ?? '', secret)
}

/** A receiver whose handler does what it is told; its store is so small that it forgets, as one in use does. */
export function receiverOf(work: () => void): Receiver {
  return createReceiver({
    secret,
    store: memoryStore({ maxEvents: 20_000 }),
    handlers: { 'transfer.settled': work },
  })
}
