/**
 * Measures one delivery in process, from bytes to response: verified, parsed, normalized, claimed in the memory store and
 * passed to a handler that does nothing. Compares it with the minimum, an HMAC and `JSON.parse`, and with stripe.
 *
 * A straight line of code that calls the same parts is the lower bound for any receiver made of them. The last table
 * shows the time of each part alone, at 1 kB.
 *
 *     npm run bench -- receive
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import Stripe from 'stripe'
import { createReceiver, memoryStore, parseEvent, verifySignature } from 'webhook-inbox'
import { sha256 } from '../../src/signature/crypto/node.js'
import { secret } from './harness/bodies.js'
import { compare } from './harness/compare.js'
import { timings, title } from './harness/table.js'
import { type Delivery, deliveriesOf } from './receive/deliveries.js'
import { straightLine } from './receive/straight-line.js'

const sizes = [300, 1024, 10_240, 102_400]
const key = createSecretKey(Buffer.from(secret))

type Take = () => Delivery

/** Cycles through the deliveries. Each contender has its own cycle, so no event returns before the store evicted it. */
function circle(deliveries: readonly Delivery[]): Take {
  let next = 0
  return () => deliveries[next++ % deliveries.length] as Delivery
}

/** The minimum: an HMAC with a prepared key, a comparison in constant time, and `JSON.parse`. */
function floor({ body, headers }: Delivery): unknown {
  const header = headers['service-signature']
  const comma = header.indexOf(',')
  const digest = createHmac('sha256', key)
    .update(`${header.slice(2, comma)}.`)
    .update(body)
    .digest()
  if (!timingSafeEqual(digest, Buffer.from(header.slice(comma + 4), 'hex'))) {
    throw new Error('refused')
  }
  return JSON.parse(body.toString('utf8'))
}

const stripe = new Stripe('sk_test_bench')

for (const bytes of sizes) {
  if (bytes === sizes[0]) {
    title('The whole receive, in process')
  }
  const deliveries = deliveriesOf(bytes)
  const receiver = createReceiver({
    secret,
    // Half of the deliveries in the cycle, so that an event is evicted before it returns.
    store: memoryStore({ maxEvents: 2048 }),
    handlers: { 'transfer.settled': () => {} },
    logger: false,
  })
  const [forFloor, forVerify, forParse, forStripe, forLine, forUs] = Array.from({ length: 6 }, () =>
    circle(deliveries),
  ) as [Take, Take, Take, Take, Take, Take]
  const line = straightLine(2048, () => {})
  const measured = await compare([
    {
      name: 'floor: HMAC + JSON.parse',
      run(times) {
        for (let i = 0; i < times; i++) {
          floor(forFloor())
        }
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
        for (let i = 0; i < times; i++) {
          parseEvent(forParse().body)
        }
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
      name: 'the steps of receive in a straight line',
      async run(times) {
        for (let i = 0; i < times; i++) {
          const { outcome } = await line(forLine())
          if (outcome !== 'processed') {
            throw new Error(outcome)
          }
        }
      },
    },
    {
      name: 'receiver.receive',
      async run(times) {
        for (let i = 0; i < times; i++) {
          const { body, headers } = forUs()
          const { outcome } = await receiver.receive({ method: 'POST', headers, body })
          if (outcome !== 'processed') {
            throw new Error(outcome)
          }
        }
      },
    },
  ])
  timings(`${bytes} B`, measured)
}

const parts = deliveriesOf(1024).map(({ body, headers }) => ({ body, text: body.toString(), headers }))
const store = memoryStore({ maxEvents: 2048 })
const durations = { leaseSeconds: 60, retentionSeconds: 7_776_000, workSeconds: 10, waitSeconds: 2 }
const refs = parts.map(({ body, headers }) => ({
  key: sha256(headers['service-event-id']) as string,
  contentHash: sha256(body) as string,
  durations,
  endpoint: 'default',
  id: headers['service-event-id'],
  type: 'transfer.settled',
  createdAt: '2026-01-02T03:04:05Z',
  body,
}))

/** Calls a function with consecutive numbers. */
const over = (name: string, call: (n: number) => unknown) => {
  let next = 0
  return {
    name,
    run(times: number) {
      for (let i = 0; i < times; i++) {
        call(next++ & 4095)
      }
    },
  }
}

const one = (n: number) => parts[n] as (typeof parts)[number]
timings(
  'parts of 1024 B',
  await compare([
    over('JSON.parse', (n) => JSON.parse(one(n).text)),
    over('bytes to text', (n) => one(n).body.toString('utf8')),
    over('HMAC', (n) => createHmac('sha256', key).update('1700000000.').update(one(n).body).digest('hex')),
    over('parseEvent, the two above included', (n) => parseEvent(one(n).body)),
    over('SHA-256 of key and of content', (n) => {
      void sha256(`default\0${one(n).headers['service-event-id']}`)
      void sha256(one(n).body)
    }),
    {
      name: 'memoryStore once, its promises included',
      run: (() => {
        let next = 0
        return async (times: number) => {
          for (let i = 0; i < times; i++) {
            await store.once(refs[next++ & 4095] as (typeof refs)[number], async () => {})
          }
        }
      })(),
    },
    over('setTimeout and clearTimeout', () => clearTimeout(setTimeout(() => {}, 10_000))),
  ]),
)
