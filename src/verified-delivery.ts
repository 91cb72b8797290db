import type { WebhookEvent } from './event/event.js'

/** A delivery with a verified signature. */
export interface VerifiedDelivery {
  /** `queue` when a worker runs an event that was verified and accepted earlier. */
  readonly source: 'delivery' | 'queue'
  /** The exact bytes that were signed, which are stored. User code gets `event.raw`, which is a copy. */
  readonly body: Uint8Array
  /** The index of the secret that matched, from 0. Absent for `queue`. */
  readonly secretIndex?: number | undefined
  /** When it was signed, by the sender’s clock, in unix seconds; absent for `queue`. */
  readonly signedAt?: number | undefined
  /** For `queue`: how many attempts since the last replay have failed, plus one. */
  readonly attempt?: number | undefined
  /** Absent when the body cannot be read as an event. */
  readonly event?: WebhookEvent | undefined
  /** Unusual but valid parts of the event, for the operator. */
  readonly warnings?: string[] | undefined
}

/** A verified delivery whose body could be read as an event. */
export interface VerifiedEvent extends VerifiedDelivery {
  readonly event: WebhookEvent
  readonly warnings: string[]
  /** What the content hash covers: see `ReadEvent`. */
  readonly content: unknown
  /** For `delivery` the sender’s `traceparent`, unverified; for `queue` what telemetry kept beside the event. */
  readonly trace?: string | undefined
}
