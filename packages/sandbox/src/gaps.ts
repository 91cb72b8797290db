/** A detail that the service interface does not publish, and what the sandbox assumes in its place. */
export interface GapRow {
  readonly id: string
  readonly topic: string
  readonly assumption: string
  readonly reason: string
}
