import type { EndpointScope } from './endpoint-scope.js'
import type { EventFilter } from './event-filter.js'

/** What a bulk run does with each event. */
export type BulkAction =
  /** Runs it again: a dead event, or a done one. */
  | 'replay'
  /** Deletes it: a dead event. `undo` can restore it for a time. */
  | 'discard'
  /** Makes it due immediately: a failed event. This does not count as an attempt. */
  | 'retryNow'
  /** Makes it dead, with the reason of the run as its last error: an accepted or a failed event. */
  | 'giveUp'

/** Which events a plan selects. */
export type PlannedFilter = Omit<EventFilter, 'text' | 'root'>

/** A selection of events. It never changes. */
export interface Plan {
  readonly id: string
  readonly endpoint: string
  readonly action: BulkAction
  readonly where: PlannedFilter
  /** The number of its events, at most {@link mostPlanned}. */
  readonly count: number
  /** True if more events met the conditions than a plan can hold. The plan then has the oldest ones. */
  readonly isCapped: boolean
  /** RFC 3339, by the database’s clock. */
  readonly createdAt: string
}

/** The conditions of a plan, from their JSON. Times are kept as text. */
export function conditionsFrom(json: string): PlannedFilter {
  const { since, until, ...rest } = JSON.parse(json)
  return {
    ...rest,
    ...(since && { since: new Date(since) }),
    ...(until && { until: new Date(until) }),
  }
}

/** How many events one plan holds. */
export const mostPlanned = 100_000

export type NewPlan = Pick<Plan, 'id' | 'endpoint' | 'action' | 'where'>

export type PlanQuery = EndpointScope & {
  readonly limit: number
  readonly startsWith?: string | undefined
}
