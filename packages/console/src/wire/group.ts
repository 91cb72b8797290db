/** Failures by their cause. */
import type { Advice, AuditRow, ProblemCode } from './answer.js'
import type { ShapeChangeRow } from './event.js'

/**
 * `GET api/groups?state=&sort=`: events and deliveries that failed for one cause. The last seen come first, or with `sort` those
 * with the most `dead` events, or with the most `events` of any state.
 */
export interface GroupRow {
  readonly group: string
  readonly state: 'open' | 'acknowledged' | 'resolved'
  /** How many times its state has changed. */
  readonly changes: number
  /** What failed. Where the cause is only a code, the fact behind it. */
  readonly title: string
  readonly code?: string
  /**
   * An error of an event in it, without masked values. In a list only where titles are equal or were cut, and only the part that tells
   * the causes apart.
   */
  readonly error?: string
  /** The line of the program that failed. */
  readonly place?: string
  readonly count: number
  readonly isCapped: boolean
  readonly dead: number
  readonly failed: number
  readonly quarantined: number
  readonly types: readonly string[]
  readonly firstSeenAt: string
  readonly lastSeenAt: string
  /** The id of an event, or the key of a quarantined delivery. */
  readonly example: string
  readonly isExampleDelivery: boolean
}

/** `GET api/groups/:group` */
export interface GroupDetail extends GroupRow {
  readonly advice?: Advice
  /** How many of its newest 100 dead events an operator gave up. Absent if it is none. */
  readonly givenUp?: number
  /** Whether the example is a delivery that is no longer in quarantine. */
  readonly isExampleGone?: boolean
  /** The id of the event of the type of the example that was done last. Absent if none is kept. */
  readonly lastSuccess?: string
  /** When it was done. */
  readonly lastSuccessAt?: string
  /** How the example differs from that event. */
  readonly shapeChanges?: readonly ShapeChangeRow[]
  /**
   * Who acknowledged, resolved or reopened it lately, and the operations on its events, newest first. An operation by other
   * conditions is not among them. Absent without the action `audits:read`.
   */
  readonly audits?: readonly AuditRow[]
  /** Why a part is missing, such as `too_slow`. */
  readonly problems?: readonly ProblemCode[]
}
