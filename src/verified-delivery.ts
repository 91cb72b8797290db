import type { WebhookEvent } from './event/event.js'

/** A delivery whose signature holds. */
export interface VerifiedDelivery {
  /** `queue` when a worker runs an event that was verified and accepted earlier. */
  readonly source: 'delivery' | 'queue'
  /** The exact bytes that were signed. */
  readonly body: Uint8Array
  /** Which secret made the signature, counted from 0; absent for `queue`. */
  readonly secretIndex?: number | undefined
  /** Absent when the body cannot be read as an event. */
  readonly event?: WebhookEvent | undefined
  /** What is unusual about the event, for the operator. */
  readonly warnings?: string[] | undefined
}

/** A verified delivery whose body could be read as an event. */
export interface VerifiedEvent extends VerifiedDelivery {
  readonly event: WebhookEvent
  readonly warnings: string[]
  /** What the content hash covers: see `ReadEvent`. */
  readonly content: unknown
}
