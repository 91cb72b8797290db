/** Counts and latencies of the inbox, its processes, and what is paused. */
import type { CappedCount, Statistics, VersionStart } from 'webhook-inbox'
import type { Part } from './answer.js'

/** `GET api/overview?hours=` */
export interface Overview {
  /** The guarantee of the receiver as plain text. */
  readonly guarantee: string
  /** The length of the window. */
  readonly hours: number
  readonly statistics: Part<Statistics>
  /** When versions started, oldest first. Absent if the store cannot say it now. */
  readonly versions?: readonly VersionStart[]
}

/** `GET api/sources` */
export interface SourcesView {
  /** Silent ones first. Empty if nothing has come for a week. */
  readonly sources: readonly SourceRow[]
  /** Whether there are more types than were read. */
  readonly isCapped: boolean
}

/** A type, and whether it has stopped sending. */
export interface SourceRow {
  /** Absent for the whole endpoint. */
  readonly type?: string
  readonly lastReceivedAt: string
  /** The number of events in the 24 hours before the last event. */
  readonly inLastDay: CappedCount
  readonly isSilent: boolean
}

/** `GET api/workers`: a process that runs events. */
export interface WorkerRow {
  readonly id: string
  readonly process: string
  readonly version: string
  readonly startedAt: string
  readonly seenAt: string
  /** Whether it has missed two reports. It may be dead. */
  readonly isLate: boolean
  /** What its limits hold back at the moment. With a mask, the resources are hidden. */
  readonly limitedTypes: readonly string[]
  readonly limitedResources: readonly string[]
}

/** `GET api/flow/pauses` */
export interface PauseRow {
  /** Only events of this type. Absent for a resource, and for the whole endpoint. */
  readonly type?: string
  readonly resource?: string
  readonly at: string
  /** Who and why. Absent without the action `audits:read`. */
  readonly actor?: string
  readonly reason?: string
}

/** `GET api/flow/circuits`: a type that does not run, because its events failed in a row for one cause. */
export interface CircuitRow {
  readonly type: string
  readonly failures: number
  /** Then one event runs as a trial. */
  readonly retryAt: string
  readonly isOnTrial: boolean
}

/**
 * `POST api/flow/pause` and `POST api/flow/resume`, with a `type` or a `resource` in the body, or neither. To resume, `seen` is the
 * `at` of the pause that was shown. If there is another pause now, the answer is 409 `pause_changed`.
 */
export interface FlowChanged {
  /** Always true: if somebody else was faster, the answer is 409 `pause_changed`. */
  readonly isChanged: boolean
}
