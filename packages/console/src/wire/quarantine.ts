/** Deliveries in quarantine. */
import type { Body, EventRow } from './event.js'

/** `GET api/quarantine?code=`: the newest first. */
export interface QuarantineRow {
  readonly key: string
  /** Why it was quarantined. */
  readonly code: string
  readonly eventId?: string
  readonly receivedAt: string
  /** How often the same bytes arrived. */
  readonly deliveries: number
  readonly bytes: number
}

/** `GET api/quarantine/:key` */
export interface QuarantineDetail extends QuarantineRow {
  /** The body of the delivery. Absent without the action `bodies:read`. */
  readonly body?: Body
  /** Why the receiver would reject the body now. Absent if only its id may be wrong. */
  readonly rejection?: { readonly code: string; readonly detail?: string }
  /** Unusual but valid parts of the body, such as a rounded number. Absent if the body cannot be read as an event. */
  readonly warnings?: readonly string[]
  /** The stored event with the same id. */
  readonly kept?: EventRow
  /** The body of that event. Absent without the action `bodies:read`. */
  readonly keptBody?: Body
  /** The paths of masked values that differ between the two bodies, at most 100. Absent if none differs. */
  readonly maskedDifferences?: readonly string[]
}

/** `POST api/quarantine/:key/verify-again` */
export type VerifiedAgain =
  | { readonly outcome: 'accepted'; readonly eventId: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail?: string }
