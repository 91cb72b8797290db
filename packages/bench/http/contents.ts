import Stripe from 'stripe'
import { createReceiver, memoryStore, type ReadBody, type ReceiveRequest, type Receiver } from 'webhook-inbox'
import { secret } from '../harness/bodies.js'

const stripe = new Stripe('sk_test_bench')

/** Verifies and parses raw bytes as a stripe endpoint does. Throws unless they are signed. */
export function constructEvent(body: Buffer, header: string | string[] | undefined): Stripe.Event {
  return stripe.webhooks.constructEvent(body, header ?? '', secret)
}

/** A receiver whose handler calls `work`. Its store is small, so it evicts events as a store in use does. */
export function receiverOf(work: () => void): Receiver {
  return createReceiver({
    secret,
    store: memoryStore({ maxEvents: 20_000 }),
    handlers: { 'transfer.settled': work },
  })
}

/** A receiver that reads everything from the adapter and does nothing with it. */
export function nobody(work: () => void): Receiver {
  async function receive({ headers, body }: ReceiveRequest) {
    for (const name of names) {
      ;(headers as (name: string) => unknown)(name)
    }
    await (body as ReadBody)(1_048_576, noLimit)
    work()
    return answer
  }
  return { receive } as unknown as Receiver
}

const noLimit = { aborted: false, signal: new AbortController().signal }

const names = [
  'content-type',
  'content-encoding',
  'content-length',
  'service-event-id',
  'service-signature',
  'service-event-id',
]

const answer = Object.freeze({
  outcome: 'processed',
  status: 200,
  headers: Object.freeze({ 'content-type': 'application/json' }),
  body: '{"outcome":"processed","eventId":"evt_bench0000000001"}',
})
