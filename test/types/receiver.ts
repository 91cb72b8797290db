/** Checked by `tsc` and never run: the types of events, and programs that must not compile. */
import * as v from 'valibot'
import { expectTypeOf } from 'vitest'
import * as z from 'zod'
import {
  createReceiver,
  type EventsOf,
  type Handlers,
  isEventOf,
  type KnownEvent,
  memoryStore,
  type Store,
  type TransferFailed,
  type TransferSettled,
  type WebhookEvent,
} from '../../src/index.js'

const secret = 'whsec_test_secret'
const store = memoryStore()

interface Client {
  query(sql: string): Promise<void>
}
declare const transactional: Store<Client>

// ------------------------------------------------------------------ the interface’s events
createReceiver({
  secret,
  store,
  handlers: {
    async 'transfer.settled'(event, context) {
      expectTypeOf(event).toEqualTypeOf<WebhookEvent<'transfer.settled', TransferSettled>>()
      expectTypeOf(event.type).toEqualTypeOf<'transfer.settled'>()
      expectTypeOf(event.data.transferId).toEqualTypeOf<string>()
      expectTypeOf(event.data.status).toEqualTypeOf<'settled'>()
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
      expectTypeOf(context.attempt).toEqualTypeOf<number>()
      expectTypeOf(context.tx).toEqualTypeOf<undefined>()
    },
    'transfer.failed': ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<TransferFailed>()
    },
    'ledger.matched': async ({ data }) => {
      expectTypeOf(data.journalEntryId).toEqualTypeOf<string | undefined>()
    },
    'approval.updated'({ data }) {
      expectTypeOf(data.approvalId).toEqualTypeOf<string>()
    },
  },
  fallback(event, context) {
    expectTypeOf(event).toEqualTypeOf<WebhookEvent<string, unknown>>()
    expectTypeOf(context.tx).toEqualTypeOf<undefined>()
  },
})

// ------------------------------------------------------------------ where every type arrives
createReceiver({
  secret,
  store,
  fallback(event) {
    if (isEventOf(event, 'transfer.failed')) {
      expectTypeOf(event.type).toEqualTypeOf<'transfer.failed'>()
      expectTypeOf(event.data.failureCode).toEqualTypeOf<string | undefined>()
    } else {
      expectTypeOf(event.data).toBeUnknown()
    }
  },
  resource: (event) =>
    isEventOf(event, 'transfer.settled', 'transfer.failed') ? event.data.transferId : undefined,
})
declare const known: KnownEvent
switch (known.type) {
  case 'transfer.failed':
    expectTypeOf(known.data).toEqualTypeOf<TransferFailed>()
    break
  case 'transfer.settled':
    expectTypeOf(known.data).toEqualTypeOf<TransferSettled>()
}
// @ts-expect-error a misspelt event
isEventOf(known, 'transfer.setled')

// ------------------------------------------------------------------ a user’s event map, as an interface
interface MyEvents {
  'invoice.paid': { invoiceId: string; lines: { sku: string }[] }
  'transfer.failed': { transferId: string; reason: 'timeout' | 'refused' }
}

createReceiver<MyEvents>({
  secret,
  store,
  handlers: {
    'invoice.paid'({ data, type }) {
      expectTypeOf(type).toEqualTypeOf<'invoice.paid'>()
      expectTypeOf(data).toEqualTypeOf<MyEvents['invoice.paid']>()
    },
    // A map replaces payload types of the service interface ...
    'transfer.failed': ({ data }) => expectTypeOf(data.reason).toEqualTypeOf<'timeout' | 'refused'>(),
    // ... and keeps the others.
    'transfer.settled': ({ data }) => expectTypeOf(data).toEqualTypeOf<TransferSettled>(),
  },
})

createReceiver<{ 'invoice.paid': { id: string } }>({
  secret,
  store,
  handlers: { 'invoice.paid': ({ data }) => expectTypeOf(data).toEqualTypeOf<{ id: string }>() },
})

// With your own event map, name the type of the transaction after it.
// biome-ignore lint/complexity/noBannedTypes: no schemas
createReceiver<MyEvents, {}, Client>({
  secret,
  store: transactional,
  handlers: { 'invoice.paid': (_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<Client>() },
})

// ------------------------------------------------------------------ schemas
createReceiver({
  secret,
  store,
  schemas: {
    'order.zod': z.object({ id: z.string(), minor: z.string().transform(Number) }),
    'order.valibot': v.object({ id: v.string(), minor: v.pipe(v.string(), v.transform(Number)) }),
    'transfer.settled': z.object({ transferId: z.templateLiteral(['tr_', z.string()]) }),
  },
  handlers: {
    'order.zod': ({ data, type }) => {
      expectTypeOf(type).toEqualTypeOf<'order.zod'>()
      expectTypeOf(data).toEqualTypeOf<{ id: string; minor: number }>()
    },
    async 'order.valibot'({ data }) {
      expectTypeOf(data).toEqualTypeOf<{ id: string; minor: number }>()
    },
    'transfer.settled': ({ data }) => expectTypeOf(data.transferId).toEqualTypeOf<`tr_${string}`>(),
    'transfer.failed': ({ data }) => expectTypeOf(data).toEqualTypeOf<TransferFailed>(),
  },
  fallback: ({ data }) => expectTypeOf(data).toBeUnknown(),
})

// Handlers may come first, because the order of options does not matter.
createReceiver({
  handlers: {
    'order.zod': ({ data }, { tx }) => [
      expectTypeOf(data).toEqualTypeOf<{ id: string }>(),
      expectTypeOf(tx).toEqualTypeOf<Client>(),
    ],
  },
  schemas: { 'order.zod': z.object({ id: z.string() }) },
  store: transactional,
  secret,
})

// ------------------------------------------------------------------ the store’s transaction
createReceiver({
  secret,
  store: transactional,
  handlers: {
    async 'transfer.settled'({ data }, { tx }) {
      expectTypeOf(tx).toEqualTypeOf<Client>()
      await tx.query(data.transferId)
    },
  },
  fallback: (_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<Client>(),
})

// ------------------------------------------------------------------ an open map
createReceiver<Record<string, { id: string }>>({
  secret,
  store,
  handlers: { 'whatever.happened': ({ data }) => expectTypeOf(data).toEqualTypeOf<{ id: string }>() },
})
createReceiver<Record<string, unknown>>({
  secret,
  store,
  handlers: { 'whatever.happened': ({ data }) => expectTypeOf(data).toBeUnknown() },
})

// ------------------------------------------------------------------ handlers written elsewhere
const elsewhere: Handlers<EventsOf<MyEvents, object>> = {
  'transfer.settled': ({ data }, { tx }) => [
    expectTypeOf(data).toEqualTypeOf<TransferSettled>(),
    expectTypeOf(tx).toBeUnknown(),
  ],
  'invoice.paid': ({ data }) => expectTypeOf(data.invoiceId).toBeString(),
}
createReceiver<MyEvents>({ secret, store, handlers: elsewhere })
createReceiver({
  secret,
  store: transactional,
  handlers: { 'transfer.settled': elsewhere['transfer.settled'] } as typeof elsewhere,
})

// ------------------------------------------------------------------ what must not compile
// @ts-expect-error a misspelt event
createReceiver({ secret, store, handlers: { 'transfer.setled': () => {} } })
// @ts-expect-error a misspelt event beside a right one
createReceiver({ secret, store, handlers: { 'transfer.settled': () => {}, 'transfer.fialed': () => {} } })
// @ts-expect-error a misspelt event of one’s own
createReceiver<MyEvents>({ secret, store, handlers: { 'invoice.piad': () => {} } })
createReceiver({
  secret,
  store,
  schemas: { 'order.zod': z.object({}) },
  // @ts-expect-error a misspelt event beside schemas
  handlers: { 'order.zed': () => {} },
})
// @ts-expect-error no store
createReceiver({ secret, handlers: { 'transfer.settled': () => {} } })
// @ts-expect-error no secret
createReceiver({ store, handlers: { 'transfer.settled': () => {} } })
// @ts-expect-error an unknown option
createReceiver({ secret, store, handlers: {}, toleranceMs: 300 })
// @ts-expect-error a duration in a string
createReceiver({ secret, store, handlers: {}, toleranceSeconds: '300' })
// @ts-expect-error a schema that is none
createReceiver({ secret, store, handlers: {}, schemas: { x: { parse: () => {} } } })
// @ts-expect-error a store that is none
createReceiver({ secret, store: {}, handlers: {} })
// @ts-expect-error a handler that is none
createReceiver({ secret, store, handlers: { 'transfer.settled': 1 } })
createReceiver({
  secret,
  store,
  handlers: {
    'transfer.settled': ({ data }) => {
      // @ts-expect-error a field that is not in the payload
      data.transfer_id
    },
  },
  fallback: ({ data }) => {
    // @ts-expect-error what is unknown has no fields
    data.anything
  },
})
// @ts-expect-error an event map is no list of types
createReceiver<string>({ secret, store, handlers: {} })

// Types of an own event map narrow too, beside those of the service interface.
interface OrderEvents {
  'order.paid': { orderId: string; total: string }
  'order.failed': { orderId: string; reason: string }
}
const isOrderEvent = isEventOf<OrderEvents>()
declare const anyEvent: WebhookEvent
if (isOrderEvent(anyEvent, 'order.paid')) {
  expectTypeOf(anyEvent.data).toEqualTypeOf<{ orderId: string; total: string }>()
}
if (isOrderEvent(anyEvent, 'order.paid', 'order.failed')) {
  expectTypeOf(anyEvent.data.orderId).toEqualTypeOf<string>()
  // @ts-expect-error: only one of them has it
  anyEvent.data.total
}
if (isOrderEvent(anyEvent, 'order.failed', 'transfer.failed') && anyEvent.type === 'transfer.failed') {
  expectTypeOf(anyEvent.data.transferId).toEqualTypeOf<string>()
}
// @ts-expect-error: a misspelled type
isOrderEvent(anyEvent, 'order.payed')
