/** Who the person is, and what the console can do for them. */

/** What a person may do. Every view and every act asks for one of these. */
export type ConsoleAction =
  | 'overview:read'
  | 'events:read'
  | 'bodies:read'
  | 'events:replay'
  | 'events:retry'
  | 'events:give-up'
  /** Takes back a discard as well. */
  | 'events:discard'
  | 'events:edit'
  | 'deliveries:verify'
  | 'groups:write'
  | 'consumption:pause'
  | 'audits:read'

/** The parts of the console that this receiver can serve. The page leaves out the others. */
export type Feature =
  | 'statistics'
  | 'audits'
  | 'explain'
  | 'flow'
  | 'groups'
  | 'shapes'
  | 'bulk'
  | 'retry'
  | 'edit'
  | 'verify'
  | 'workers'
  | 'sources'
  | 'copy'
  | 'body-search'

/** `GET api/me` */
export interface Me {
  /** The actions that `authorize` permits. Acts are missing if the console is read-only. */
  readonly actions: readonly ConsoleAction[]
  readonly features: readonly Feature[]
  /** The name that the audit keeps. Absent if the person may only read. */
  readonly actor?: string
  readonly environment?: string
  readonly isReadOnly: boolean
}
