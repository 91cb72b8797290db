/** Deliveries in quarantine. */
import type { Act, Advice, Page } from './answer.js'
import type { Body, EventRow } from './event.js'

/** `GET api/quarantine?code=`: the newest first. */
export interface QuarantineList extends Page<QuarantineRow> {
  /** What all of the quarantine holds, by cause, the most first. Absent if it could not be counted in time. */
  readonly causes?: readonly { readonly code: string; readonly count: number; readonly isCapped: boolean }[]
}

export interface QuarantineRow {
  readonly key: string
  /** Why it was quarantined. */
  readonly code: string
  /** The code as a sentence without its dot. Absent for a code of another version. */
  readonly fact?: string
  readonly eventId?: string
  /**
   * The id in a body that cannot be read as an event. Only with the action `bodies:read`, and in a list only if its bodies are small.
   */
  readonly idInBody?: string
  readonly receivedAt: string
  /** How often the same bytes arrived. */
  readonly deliveries: number
  readonly bytes: number
}

/** `GET api/quarantine/:key` */
export interface QuarantineDetail extends QuarantineRow {
  /** That the event with its id was discarded, as sentences. Names the person with the action `audits:read`. */
  readonly original?: string
  /** The body of the delivery. Absent without the action `bodies:read`. */
  readonly body?: Body
  /** Why the receiver would reject the body now. Absent if only its id may be wrong. */
  readonly rejection?: { readonly code: string; readonly detail?: string }
  /** On why it would be rejected now. Absent if it would be accepted. */
  readonly advice?: Advice
  /** Unusual but valid parts of the body, such as a rounded number. Absent if the body cannot be read as an event. */
  readonly warnings?: readonly string[]
  /** The stored event with the same id. */
  readonly kept?: EventRow
  /** The body of that event. Absent without the action `bodies:read`. */
  readonly keptBody?: Body
  /** The paths of masked values that differ between the two bodies, at most 100. Absent if none differs. */
  readonly maskedDifferences?: readonly string[]
  /** What to know before a discard, as sentences. */
  readonly beforeDiscard: string
}

/** `POST api/quarantine/:key/verify-again` */
export type VerifiedAgain =
  | { readonly outcome: 'accepted'; readonly eventId: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail?: string }

/** `POST api/quarantine/preview`: which deliveries a check of many takes. It needs no reason, because it changes nothing. */
export interface NewVerification {
  /** Only those that were quarantined with this code. */
  readonly code?: string
  /** Where it begins. Without it, at the newest. */
  readonly cursor?: string
}

export interface VerificationPreview {
  /** Stops at 10,000. */
  readonly count: number
  readonly isCapped: boolean
  readonly codes: readonly { readonly code: string; readonly count: number }[]
  /**
   * Up to ten, some of each code, newest first, and what the check would say of them now. None without the action
   * `events:read`.
   */
  readonly sample: readonly PreviewedDelivery[]
  /** Where the check begins. Deliveries that arrive later are not part of it. Absent if there is none. */
  readonly cursor?: string
}

export interface PreviewedDelivery extends QuarantineRow {
  /** As that of {@link QuarantineDetail}. */
  readonly original?: string
  /** Why it would stay. Absent if it would be accepted. */
  readonly rejection?: { readonly code: string; readonly detail?: string }
  /** Unusual but valid parts of the body, such as a rounded number. */
  readonly warnings: readonly string[]
}

/**
 * `POST api/quarantine/verify-again`: checks some deliveries, the newest first. The caller continues at `next`. So each part is
 * short, and a caller that stops has cancelled the rest.
 */
export interface VerifySome extends Act, NewVerification {
  /** The `cursor` of the preview, or the `next` of the part before. */
  readonly cursor?: string
  /** With the first part: the preview that the person was shown. If it is not so any more, the response is 409 `preview_changed`. */
  readonly shown?: VerificationPreview
}

/** Without the action `events:read` it has only its code. */
export interface VerifiedDelivery {
  readonly key?: string
  readonly code: string
  readonly detail?: string
  readonly eventId?: string
  readonly idInBody?: string
  readonly bytes?: number
}

export interface VerifiedSome {
  readonly released: number
  /** Those that stay. */
  readonly kept: readonly VerifiedDelivery[]
  /** How many another operator released or discarded first. */
  readonly gone: number
  /** Those whose check failed: `code` and `detail` are those of a problem document. They stay as they are. */
  readonly unchecked: readonly VerifiedDelivery[]
  /** Absent if every delivery was checked. */
  readonly next?: string
}
