/** Checked by `tsc` and never run: the first program of the design, with declared surroundings. */
import { expectTypeOf } from 'vitest'
import { createReceiver, memoryStore, type Outcome } from '../../src/index.js'

declare function credit(transferId: string, options: { signal: AbortSignal }): Promise<void>
declare function reverse(transferId: string): Promise<void>
declare const log: { info(text: string): void }
declare const metrics: { count(outcome: Outcome): void }
const redisStore = (_options: { client: unknown }) => memoryStore()
const redis = {}

export const receiver = createReceiver({
  // biome-ignore lint/style/noNonNullAssertion: as it stands there
  secret: [process.env.WEBHOOK_SECRET!, process.env.WEBHOOK_SECRET_OLD!],
  store: redisStore({ client: redis }),
  handlers: {
    async 'transfer.settled'({ data }, { signal, attempt }) {
      await credit(data.transferId, { signal })
      expectTypeOf(attempt).toBeNumber()
    },
    async 'transfer.failed'({ data }) {
      await reverse(data.transferId)
    },
  },
  fallback: (event) => log.info(event.type),
  onResult: (result) => metrics.count(result.outcome),
})

// What a result says depends on its outcome.
const result = await receiver.receive({ headers: {}, body: new Uint8Array() })
if (result.outcome === 'rejected' || result.outcome === 'failed') {
  expectTypeOf(result.code).not.toBeUndefined()
}
if (result.outcome === 'processed') {
  expectTypeOf(result.eventId).toEqualTypeOf<string | undefined>()
}
