/** A count that stops at a limit. */
export interface CappedCount {
  readonly count: number
  /** Whether there are more than were counted. */
  readonly isCapped: boolean
}

/** A count of rows that were read up to a limit: `mine` of them belong to the endpoint, `seen` were read. */
export const capped = (mine: number, seen: number, limit: number): CappedCount => ({
  count: Math.min(mine, limit),
  isCapped: seen > limit,
})
