import type { Audit } from './audit-log.js'
import type { EndpointScope } from './endpoint-scope.js'
import { plainReason } from './reason.js'

/** What to pause: one type, one resource, or the whole endpoint if neither is given. */
export interface PauseTarget {
  readonly endpoint: string
  readonly type?: string | undefined
  readonly resource?: string | undefined
}

/** A current pause. `pausedAt` is RFC 3339, by the database’s clock. */
export interface Pause extends PauseTarget, Audit {
  readonly pausedAt: string
}

/** What tells a pause from a later one of the same target. */
export type SeenPause = Pick<Pause, 'pausedAt'>

/** Whether a pause of its endpoint applies to an event. */
export const isPausedBy = (
  pause: PauseTarget,
  { type, resource }: { readonly type: string; readonly resource?: string | undefined },
): boolean =>
  pause.type === undefined ? pause.resource === undefined || pause.resource === resource : pause.type === type

/** The circuit breaker state of one type: its failures in a row. It is open if `retryAt` is set. */
export interface Circuit {
  readonly type: string
  readonly fingerprint: string
  readonly failures: number
  /** RFC 3339. Until then no event of the type runs. Then one may run, as a trial. */
  readonly retryAt?: string
  /** Whether the trial runs now. */
  readonly isOnTrial: boolean
  /** Whether the store holds the type back now: it is open, and either waits for `retryAt` or is on trial. */
  readonly isHolding: boolean
}

/** Everything that the store holds back of one endpoint. */
export interface Holds {
  readonly pauses: readonly Pause[]
  readonly circuits: readonly Circuit[]
}

/** What a process learns with its beat. */
export interface BeatReply extends Holds {
  /** Whether the endpoint has a bulk run that can go on. Another process may hold it. */
  readonly hasOpenRun: boolean
}

/** When a circuit opens, and for how long. */
export interface BreakerRule {
  /** How many failures in a row with one fingerprint open it. */
  readonly failures: number
  readonly retryAfterSeconds: number
}

/** A process that runs events of an endpoint. */
export interface WorkerBeat {
  readonly endpoint: string
  /** Unique for each start of a consumer. */
  readonly id: string
  /** For people: the host and the process id. */
  readonly process: string
  /** The version of the program, or of this package. */
  readonly version: string
  /** What its limits hold back at the moment. */
  readonly limited: Limited
}

/** The types and resources that are at their limit in one process. */
export interface Limited {
  readonly types: readonly string[]
  readonly resources: readonly string[]
  /** How many handlers ran in the process. A program of an earlier version does not report it. */
  readonly running?: number
}

export interface SeenWorker extends WorkerBeat {
  /** RFC 3339, by the database’s clock. */
  readonly startedAt: string
  readonly seenAt: string
  /** How long ago it was seen, in seconds, by the database’s clock. */
  readonly silentSeconds?: number
}

/** When a version started. Its processes may have ended since. */
export interface VersionStart {
  readonly version: string
  /** RFC 3339, by the database’s clock. The first start, or the first one after another version had started. */
  readonly startedAt: string
}

/** How long the start of a version is kept, in days. The newest one is kept forever. */
export const versionDays = 31

/** Whether a handler runs an event. If the store knows it: since when, and until when its claim lasts. RFC 3339. */
export type ClaimState =
  | { readonly state: 'free' }
  | { readonly state: 'running'; readonly since?: string | undefined; readonly until?: string }

/**
 * The methods of an inbox that hold events back. `inboxSuite` checks its laws.
 *
 * - Pauses, circuits and workers are kept in the store: every instance sees them immediately.
 * - `Inbox.due` leaves out what a pause or an open circuit holds back, and finds the others as fast as without it.
 * - A pause does not change the state, the counts or the times of an event. `accept` and `once` work as without it.
 * - `pause` of a paused target resolves to false and changes nothing. So does `resume` of a target that is not paused. Each
 *   commits together with its entry in the log of audits.
 * - With `seen`, `resume` ends only that pause. If the target has another pause now, it changes nothing and rejects with
 *   `ConflictError` `pause_changed`. The transaction of the change compares it.
 * - Pauses of an endpoint, of its types and of its resources are independent. An event runs when none of them holds it.
 * - A circuit counts failures with one fingerprint. Another fingerprint starts the count again.
 * - An endpoint has at most {@link mostCircuits} circuits, or a few more when several processes count together. If there are
 *   too many, the store forgets those that hold nothing back. If all of them hold events back, it does not count a further
 *   type.
 * - The first beat of a worker notes the start of its version, unless that is the version that started last.
 * - Once `retryAt` has passed, one of several concurrent calls of `startTrial` resolves to true. A trial whose process died
 *   ends after its time.
 */
export interface FlowStore {
  pause(target: PauseTarget, audit: Audit): Promise<boolean>
  resume(target: PauseTarget, audit: Audit, seen?: SeenPause): Promise<boolean>
  /** What is paused, oldest first. */
  paused(scope: EndpointScope): Promise<Pause[]>
  /** Pauses and circuits of an endpoint. */
  holds(endpoint: string): Promise<Holds>
  /** Counts a failure of a type. Opens its circuit, or opens it again, if the rule says so. */
  countFailure(endpoint: string, type: string, fingerprint: string, rule: BreakerRule): Promise<void>
  /** Forgets the failures of a type. Resolves to whether its circuit was open. */
  closeCircuit(endpoint: string, type: string): Promise<boolean>
  /**
   * Forgets circuits that counted no failure for this time and hold nothing back, because a sender can send any number of
   * types. Resolves to how many.
   */
  pruneCircuits(unusedSeconds: number): Promise<number>
  /** Claims the trial of an open circuit for this time. */
  startTrial(endpoint: string, type: string, seconds: number): Promise<boolean>
  /**
   * Records that a process still runs events. Resolves to what is held back of its endpoint, and whether a bulk run is open.
   * Forgets processes that were last seen a day ago.
   */
  beat(worker: WorkerBeat): Promise<BeatReply>
  /** Forgets a process that has stopped. */
  leave(endpoint: string, id: string): Promise<void>
  /** The processes that were seen within this time. */
  workers(endpoint: string, withinSeconds: number): Promise<SeenWorker[]>
  /**
   * Rejects with a `StoreError` while no process can report, although `workers` can be read: another process holds the write lock.
   * Absent if the two always fail together.
   */
  checkReports?(): Promise<void>
  /** When the versions of an endpoint started, oldest first. */
  versions(endpoint: string): Promise<VersionStart[]>
  /** Whether a handler runs an event. `free` also for an unknown key. */
  claimOf(key: string): Promise<ClaimState>
  /** The code of the newest quarantined delivery of an event, or of these bytes; `undefined` if there is none. */
  quarantineCode(
    endpoint: string,
    of: { readonly eventId: string } | { readonly bodyHash: string },
  ): Promise<string | undefined>
}

/** A sender can send any number of types, and every process reads all circuits of its endpoint each second. */
export const mostCircuits = 200

/** How a store keeps a target: its kind, and the name of the type or resource. */
export function kindOf({ type, resource }: PauseTarget): { readonly kind: PauseKind; readonly name: string } {
  if (type !== undefined) {
    return { kind: 'type', name: type }
  }
  return resource === undefined ? { kind: 'endpoint', name: '' } : { kind: 'resource', name: resource }
}

export type PauseKind = 'endpoint' | 'type' | 'resource'

/** The target as the log of audits names it; nothing for an endpoint, which the log has already. */
export function subjectOf(target: PauseTarget): { readonly subject?: string } {
  const { kind, name } = kindOf(target)
  return kind === 'endpoint' ? {} : { subject: plainReason(`${kind} ${name}`) }
}

/** Reverses {@link kindOf}. */
export function targetOf(endpoint: string, kind: PauseKind, name: string): PauseTarget {
  return kind === 'endpoint' ? { endpoint } : { endpoint, [kind]: name }
}
