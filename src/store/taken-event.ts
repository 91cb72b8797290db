import type { StoredEvent } from './inbox-event.js'

/** A claim that has begun before its work is known. */
export interface HeldClaim {
  /** Ends the claim and leaves the event as it was, unless `once` has the claim. Never rejects. */
  release(): Promise<void>
}

/** An event, and the claim of it. */
export interface TakenEvent {
  /** As it was before the claim, without its attempts. */
  readonly event: StoredEvent
  readonly claim: HeldClaim
}
