import { invalidOption } from '../errors.js'
import { requireObject } from '../given-options.js'
import type { StoredEvent } from './inbox-event.js'
import type { HeldClaim } from './taken-event.js'

/** An event as a store sees it. */
export interface EventRef {
  /** SHA-256 over endpoint, a zero byte and the event id, as 64 hex digits. It identifies the event in the store. */
  readonly key: string
  /**
   * SHA-256 over the content, as 64 hex digits: type and data after normalization. It distinguishes a repeated event
   * from a different one with the same id. Opaque to a store.
   */
  readonly contentHash: string
  readonly durations: Durations
  readonly endpoint: string
  readonly id: string
  readonly type: string
  readonly createdAt: string
  /** The exact bytes of the delivery. Two bodies may have the same content. */
  readonly body: Uint8Array
  /** Events with the same resource run in order. `accept` and `acceptDead` keep it; for `once` see `isKept`. */
  readonly resource?: string | undefined
  /** The trace context of the event: at most 512 characters, opaque to a store. Only `accept` reads it. */
  readonly traceContext?: string | undefined
  /** True for an event that a worker found in the inbox, with its `resource`. `once` runs it only if the inbox still has it. */
  readonly isKept?: boolean | undefined
  /**
   * The event as the worker found it. If it has changed, `once` is `busy`: another worker has tried the event since, or it was
   * replayed, and its next attempt may not be due.
   */
  readonly seen?: SeenAttempt | undefined
  /** The claim that `take` made of this event. `once` runs the work under it, and claims nothing itself. */
  readonly claim?: HeldClaim | undefined
}

/** What tells whether an event was tried, noted as failed, or replayed since a worker found it. */
export type SeenAttempt = Pick<StoredEvent, 'attempt' | 'generation' | 'failures' | 'retryAt'>

/** All in seconds. */
export interface Durations {
  /** How long a claim lasts unless it is extended. */
  readonly leaseSeconds: number
  /** How long the store keeps a done event. */
  readonly retentionSeconds: number
  /** How long the work may take. A claim is extended no longer than that. */
  readonly workSeconds: number
  /** How long to wait for another holder of the claim before giving up as `busy`. */
  readonly waitSeconds: number
}

/** Throws `ConfigurationError` `invalid_option` if a part of an event is of the wrong type. */
export function checkEventRef(event: EventRef): void {
  requireObject('an event', event)
  for (const part of ['key', 'contentHash', 'endpoint', 'id', 'type', 'createdAt'] as const) {
    if (typeof event[part] !== 'string') {
      throw invalidOption(`the ${part} of an event must be a string`)
    }
  }
  for (const part of ['resource', 'traceContext'] as const) {
    if (event[part] !== undefined && typeof event[part] !== 'string') {
      throw invalidOption(`the ${part} of an event must be a string`)
    }
  }
  if (event.isKept !== undefined && typeof event.isKept !== 'boolean') {
    throw invalidOption('isKept of an event must be a boolean')
  }
  for (const part of ['attempt', 'generation', 'failures'] as const) {
    if (event.seen !== undefined && !Number.isSafeInteger(event.seen?.[part])) {
      throw invalidOption(`the ${part} that was seen of an event must be a whole number`)
    }
  }
  if (event.claim !== undefined) {
    requireObject('the claim of an event', event.claim)
  }
  if (!(event.body instanceof Uint8Array)) {
    throw invalidOption('the body of an event must be bytes')
  }
  checkDurations(event.durations)
}

/** Throws `ConfigurationError` `invalid_option` if a duration is no number. */
export function checkDurations(durations: Durations | undefined): void {
  for (const part of ['leaseSeconds', 'retentionSeconds', 'workSeconds', 'waitSeconds'] as const) {
    const seconds = durations?.[part]
    if (typeof seconds !== 'number' || Number.isNaN(seconds)) {
      throw invalidOption(`${part} must be a number of seconds`)
    }
  }
}
