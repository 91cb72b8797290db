import type { SignatureScheme } from 'webhook-inbox'
import type { DeliveryRecord } from 'webhook-inbox-sandbox'

/** What the control plane of the sandbox answers with. */

export type HeaderPairs = readonly (readonly [name: string, value: string])[]

/** One event for one subscription. */
export type Delivery = DeliveryRecord
/** What became of the newest attempt, in short. */
export type LastAttempt = NonNullable<Delivery['last']>

interface Body {
  readonly body: string
  readonly bodyBase64: string
}

export interface Attempt {
  readonly deliveryId: string
  readonly number: number
  /** By the clock of the sandbox. */
  readonly startedAt: string
  /** By the clock of the machine; null for an attempt of an older sandbox. */
  readonly sentAt: string | null
  readonly request: Body & { readonly headers: HeaderPairs }
  readonly response:
    | (Body & { readonly status: number; readonly headers: HeaderPairs; readonly isTruncated: boolean })
    | null
  readonly failure: {
    readonly kind: NonNullable<LastAttempt['failure']>
    readonly code?: string
    readonly message: string
  } | null
  readonly faults: readonly string[]
  /** Milliseconds since its start. */
  readonly timings: {
    readonly connected?: number
    readonly sent?: number
    readonly answered?: number
    readonly ended: number
  }
  readonly outcome: string | null
  readonly code: string | null
  readonly nextTryAt: string | null
  /** Null for an attempt that nobody edited. */
  readonly edited: LastAttempt['edited']
}

export type FullDelivery = Delivery & { readonly tries: readonly Attempt[] }

export interface Page<Record> {
  readonly data: readonly Record[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

export interface Subscription {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly envelope: string
  readonly status: string
  readonly secret: string
}

export interface Config {
  readonly apiKey: string
  readonly clock: 'real' | 'virtual'
  readonly retrySeconds: readonly number[]
  readonly scheme: SignatureScheme | null
  readonly seed: number
  readonly subscriptions: readonly Subscription[]
}
