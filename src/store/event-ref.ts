/** An event as a store sees it. */
export interface EventRef {
  /** What is remembered: SHA-256 over endpoint, a zero byte and the event id, as 64 hex digits. */
  readonly key: string
  /** SHA-256 over the exact body, as 64 hex digits: tells a repeated event from another one with the same id. */
  readonly contentHash: string
  readonly durations: Durations
  readonly endpoint: string
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly body: Uint8Array
  /** What it is about, where it is to be run in order with others about the same. Only `accept` looks at it. */
  readonly resource?: string | undefined
}

/** All in seconds. */
export interface Durations {
  /** How long a claim lasts unless it is extended. */
  readonly leaseSeconds: number
  /** How long an event that is done is remembered. */
  readonly retentionSeconds: number
  /** How long the work may take; a claim is extended no longer than that. */
  readonly workSeconds: number
  /** How long to wait for another holder of the claim before giving up as `busy`. */
  readonly waitSeconds: number
}
