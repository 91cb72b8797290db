import { codes } from '../codes.js'
import type { Audit, AuditAction } from './audit-log.js'
import type { EndpointScope } from './endpoint-scope.js'
import type { FailureCause } from './fingerprint.js'

/** `open`, until an operator acknowledges or resolves the group. An operator can open it again. */
export type GroupState = 'open' | 'acknowledged' | 'resolved'

/** Events and deliveries of one endpoint that failed for one cause. */
export interface FailureGroup extends Omit<FailureCause, 'fingerprint'> {
  /** The endpoint, a colon, and the fingerprint of the cause. */
  readonly group: string
  readonly endpoint: string
  readonly state: GroupState
  /** How many times its state has changed. */
  readonly changes: number
  /** How many are `dead`, `failed` or quarantined now. */
  readonly count: number
  readonly dead: number
  readonly failed: number
  readonly quarantined: number
  /** True if there are more than were counted. */
  readonly isCapped: boolean
  /** The types of the events, the first twenty at most. */
  readonly types: readonly string[]
  /** RFC 3339, by the database’s clock. */
  readonly firstSeenAt: string
  /** RFC 3339. It lags behind by {@link secondsBetweenNotes} at most. */
  readonly lastSeenAt: string
  /**
   * The id of one of the events, or the key of one of the quarantined deliveries. `isDeliveryKey(example, endpoint)` tells which,
   * unless a sender uses the form of a key as an id.
   */
  readonly example: string
}

/** A group as a caller saw it. */
export type SeenGroup = Pick<FailureGroup, 'state' | 'changes'>

export type GroupQuery = EndpointScope & {
  /** Default: every state. */
  readonly state?: GroupState | undefined
  /** Also groups that hold nothing any more. Default false. */
  readonly empty?: boolean | undefined
  /** The maximum number of groups. Default 100. */
  readonly limit?: number | undefined
  /** The `group` of the last group of the previous page. */
  readonly after?: string | undefined
}

/**
 * The failures of an inbox by their cause. `inboxSuite` checks its laws.
 *
 * - An event that is postponed or made dead joins the group of its cause in the same commit. So does a quarantined delivery.
 *   Without a cause from the caller, the store takes it from the text of the error.
 * - An event leaves its group when it is done or replayed. The group stays until it is pruned, and keeps its state. `groups` leaves
 *   it out while it holds nothing, unless `empty` is true.
 * - A resolved group is open again as soon as it gets another failure, with {@link failedAgain} as its audit.
 * - An endpoint has at most {@link mostGroups} groups, or a few more when several processes add groups together. Further
 *   causes share one group, whose fingerprint is `other`. A code alone always has a group.
 * - A change of state and its audit are one commit. The action of the audit is `acknowledgeGroup`, `resolveGroup`
 *   or `reopenGroup`.
 * - With `seen`, a group changes only if its state and the number of its changes are as the caller saw them. Otherwise `setState`
 *   rejects with `ConflictError` `group_changed`. The transaction of the change compares them.
 */
export interface FailureLog {
  /** Last seen first. Counts are exact up to {@link mostCounted} divided by the number of groups listed. */
  groups(query: GroupQuery): Promise<FailureGroup[]>
  /** Makes an entry in the audits if it changes the state. Resolves to false if the endpoint has no such group. */
  setState(
    endpoint: string,
    group: string,
    state: GroupState,
    audit: Audit,
    seen?: SeenGroup,
  ): Promise<boolean>
  /** Deletes up to `limit` groups that have no events and got no failure for this time. Resolves to how many. */
  prune(unseenSeconds: number, limit: number): Promise<number>
}

export const mostGroups = 200
export const mostCounted = 100_000
/** How many types a group lists. */
export const mostTypes = 20
/** A group is written at most once in this time, so that many failures do not wait for one row. */
export const secondsBetweenNotes = 10

export const groupId = (endpoint: string, { fingerprint }: Pick<FailureCause, 'fingerprint'>): string =>
  `${endpoint}:${fingerprint}`

/** The cause of every failure beyond {@link mostGroups} groups. */
export const otherCause: FailureCause = { fingerprint: 'other', title: 'other causes' }

/** The cause of events that an operator gave up before they failed. One that failed stays in the group of its failure. */
export const givenUpCause: FailureCause = {
  fingerprint: 'given_up',
  title: 'given up by an operator before a failure',
}

/** Whether a cause always gets its own group: a code does, because the number of codes is limited. */
export const isAlwaysKept = ({ fingerprint }: FailureCause): boolean =>
  [otherCause, givenUpCause].some((cause) => cause.fingerprint === fingerprint) ||
  Object.hasOwn(codes, fingerprint)

/** The types of a group as a store keeps them. None where they are broken, because one row must not hide the other groups. */
export function readTypes(json: string): readonly string[] {
  try {
    return JSON.parse(json)
  } catch {
    return []
  }
}

/** The types of a group and a new one. `undefined` if the group has the type already, or is full. */
export function withType(types: readonly string[], type: string | undefined): readonly string[] | undefined {
  const isFull = types.length >= mostTypes
  return type === undefined || isFull || types.includes(type) ? undefined : [...types, type]
}

/** What an operator does to bring a group into a state. */
export const groupActions = {
  open: 'reopenGroup',
  acknowledged: 'acknowledgeGroup',
  resolved: 'resolveGroup',
} as const satisfies Readonly<Record<GroupState, AuditAction>>

/** The audit of a resolved group that a failure opens again. */
export const failedAgain: Audit = {
  reason: 'It failed again after it was resolved.',
  actor: 'the program',
}
