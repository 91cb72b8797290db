import { checkText } from './check-values.js'
import type { EndpointScope } from './endpoint-scope.js'

/** Who did it and why; committed together with the change. */
export interface Audit {
  readonly reason: string
  readonly actor: string
}

/** What an operator did. A failure does one of them too: it opens a resolved group again. */
export type AuditAction =
  /** An event runs again. */
  | 'replay'
  /** A dead event or a quarantined delivery was deleted. */
  | 'discard'
  /** A discarded event or delivery was restored. */
  | 'undo'
  /** A failed event became due immediately. */
  | 'retryNow'
  /** An event that was not done was made dead. */
  | 'giveUp'
  /** A changed copy of an event was accepted as a new event. */
  | 'replayEdited'
  /** A quarantined delivery was released as an event. */
  | 'verifyAgain'
  | 'startRun'
  | 'pauseRun'
  | 'resumeRun'
  | 'cancelRun'
  | 'acknowledgeGroup'
  | 'resolveGroup'
  | 'reopenGroup'
  | 'pause'
  | 'resume'

/** A change and who made it; committed together with the change. */
export interface AuditRecord extends Audit {
  readonly action: AuditAction
  /** The endpoint that it concerns. Absent if that is not known, or if it concerns every endpoint. */
  readonly endpoint?: string
  /** The key of the event or of the quarantined delivery. */
  readonly key?: string
  readonly eventId?: string
  /** What else the change concerns, such as a group, a type, or the event that was copied. */
  readonly subject?: string
  /** The run that did it. Absent if an operator did it directly. */
  readonly run?: string
}

export interface AuditEntry extends AuditRecord {
  /** The place of the entry in the log. Pass it as `after` to list older entries. */
  readonly id: string
  /** RFC 3339, by the database’s clock. */
  readonly at: string
}

export type AuditQuery = EndpointScope & {
  /** The maximum number of entries. Default 100. */
  readonly limit?: number | undefined
  /** The `id` of the last entry of the previous page. */
  readonly after?: string | undefined
  /** Only entries about the event or the delivery with this key. */
  readonly key?: string | undefined
  /** Only entries about this subject, such as a group, a type, or the event that was copied. */
  readonly subject?: string | undefined
  /** Only entries of this run. */
  readonly run?: string | undefined
}

/**
 * The log of every change that an operator made, and of each cause that a failure opened again. `inboxSuite` checks these laws:
 *
 * - An entry commits together with its change. A call that changes nothing makes no entry.
 * - Entries are never changed. They outlive the event that they concern.
 */
export interface AuditLog {
  /** Newest first. */
  list(query: AuditQuery): Promise<AuditEntry[]>
}

/**
 * The reason and the actor, and nothing else of what a caller passed: a store writes more fields beside them. Throws
 * `ConfigurationError` `invalid_option` if one of them is not a text. Characters that a database does not take are replaced and not
 * rejected, because an operator may paste anything.
 */
export function checkedAudit(audit: Audit): Audit {
  const { reason, actor } = audit ?? {}
  checkText('reason', reason)
  checkText('actor', actor)
  return { reason, actor }
}
