/**
 * One delivery in process, from bytes to answer: verified, parsed, normalized, decided once by the memory store, handed to
 * a handler that does nothing. Beside the least that must be done, an HMAC and `JSON.parse`, and beside stripe.
 *
 *     node --import tsx bench/receive.ts
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import Stripe from 'stripe'
import { createReceiver, memoryStore, parseEvent, verifySignature } from 'webhook-inbox'
import { bodyOf, headerOf, secret } from './harness/bodies.js'
import { compare } from './harness/compare.js'
import { timings, title } from './harness/table.js'

const sizes = [300, 1024, 10_240, 102_400]
const key = createSecretKey(Buffer.from(secret))

interface Delivery {
  readonly body: Buffer
  readonly headers: {
    readonly 'content-type': string
    readonly 'service-signature': string
    readonly 'service-event-id': string
  }
}

/** Enough deliveries, each of another event, that no turn sees one twice before the store has forgotten it. */
function deliveriesOf(bytes: number): Delivery[] {
  return Array.from({ length: 4096 }, (_, n) => {
    const id = `evt_${String(n).padStart(16, '0')}`
    const body = bodyOf(bytes, id)
    const headers = {
      'content-type': 'application/json',
      'service-signature': headerOf(body),
      'service-event-id': id,
    }
    return { body, headers }
  })
}

type Take = () => Delivery

/** Hands the deliveries out round and round; one for each contender, so that ours never meets an event too soon. */
function circle(deliveries: readonly Delivery[]): Take {
  let next = 0
  return () => deliveries[next++ % deliveries.length] as Delivery
}

/** The least: the HMAC with a prepared key, compared in constant time, and the text parsed. */
function floor({ body, headers }: Delivery): unknown {
  const header = headers['service-signature']
  const comma = header.indexOf(',')
  const digest = createHmac('sha256', key)
    .update(`${header.slice(2, comma)}.`)
    .update(body)
    .digest()
  if (!timingSafeEqual(digest, Buffer.from(header.slice(comma + 4), 'hex'))) throw new Error('refused')
  return JSON.parse(body.toString('utf8'))
}

const stripe = new Stripe('sk_test_bench')

for (const bytes of sizes) {
  if (bytes === sizes[0]) title('The whole receive, in process')
  const deliveries = deliveriesOf(bytes)
  const receiver = createReceiver({
    secret,
    // Half of what is sent round and round, so that an event has been forgotten when it comes again.
    store: memoryStore({ maxEvents: 2048 }),
    handlers: { 'transfer.settled': () => {} },
    logger: false,
  })
  const [forFloor, forVerify, forParse, forStripe, forUs] = Array.from({ length: 5 }, () =>
    circle(deliveries),
  ) as [Take, Take, Take, Take, Take]
  const measured = await compare([
    {
      name: 'floor: HMAC + JSON.parse',
      run(times) {
        for (let i = 0; i < times; i++) floor(forFloor())
      },
    },
    {
      name: 'verifySignature',
      async run(times) {
        for (let i = 0; i < times; i++) {
          const { body, headers } = forVerify()
          await verifySignature({ body, header: headers['service-signature'], secret })
        }
      },
    },
    {
      name: 'parseEvent',
      run(times) {
        for (let i = 0; i < times; i++) parseEvent(forParse().body)
      },
    },
    {
      name: 'stripe constructEvent',
      run(times) {
        for (let i = 0; i < times; i++) {
          const { body, headers } = forStripe()
          stripe.webhooks.constructEvent(body, headers['service-signature'], secret)
        }
      },
    },
    {
      name: 'receiver.receive',
      async run(times) {
        for (let i = 0; i < times; i++) {
          const { body, headers } = forUs()
          const { outcome } = await receiver.receive({ method: 'POST', headers, body })
          if (outcome !== 'processed') throw new Error(outcome)
        }
      },
    },
  ])
  timings(`${bytes} B`, measured)
}
