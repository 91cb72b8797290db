/** Who the person is, and what the console can do for them. */

/** The rights of a person. Every view and every change needs one of them. */
export type ConsoleAction =
  | 'overview:read'
  | 'events:read'
  | 'bodies:read'
  | 'events:replay'
  | 'events:retry'
  | 'events:give-up'
  /** Also permits to undo a discard. */
  | 'events:discard'
  | 'events:edit'
  | 'deliveries:verify'
  | 'groups:write'
  | 'consumption:pause'
  | 'audits:read'

/** The parts that a store may lack. The page leaves out what needs them. */
export type Feature = 'audits' | 'bulk' | 'failures' | 'flow' | 'statistics'

/** `GET api/me` */
export interface Me {
  /** The actions that `authorize` permits. Actions that change something are missing if the console is read-only. */
  readonly actions: readonly ConsoleAction[]
  readonly features: readonly Feature[]
  /** The name for the audit log. Absent if the person may only read. */
  readonly actor?: string
  readonly environment?: string
  readonly isReadOnly: boolean
  /** Whether a mask is configured. A search finds no masked value. */
  readonly isMasked: boolean
}
