/** Which rows of a list. */
export interface Page {
  /** At most this many. */
  readonly limit: number
  /** Only what was stored before the row with this `seq`. */
  readonly before?: number | undefined
}
