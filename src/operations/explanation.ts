import type { Pause } from '../store/flow-store.js'

/** What every explanation has: one or two sentences for a person to read. */
interface Sentence {
  readonly sentence: string
  /** A second sentence, which says the same as `lostAttempts`. */
  readonly lostSentence?: string
  /** How many of its last attempts left nothing: their process ended or lost its claim. Only while it is open. */
  readonly lostAttempts?: number
  /** The id of the event from which `replayEdited` copied this one. */
  readonly parent?: string
  /** The ids of its edited copies, the newest ten at most, newest first. */
  readonly copies?: readonly string[]
  /** One or two more sentences, which say the same as `parent` and `copies`, and the state of the newest copy. */
  readonly editedSentence?: string
  /** The code of a delivery in quarantine with the id of this event and other content. The sentence names it too. */
  readonly alsoQuarantined?: string
}

/** Why an event does not run, with details. Times are RFC 3339, by the database’s clock. */
export type Explanation = Sentence &
  (
    | { readonly reason: 'unknown' }
    /** `undoUntil` is absent if `undo` can no longer restore it. */
    | {
        readonly reason: 'discarded'
        readonly discardedAt: string
        readonly actor: string
        readonly undoUntil?: string
      }
    | { readonly reason: 'done'; readonly doneAt?: string }
    /** `until`: a handler that timed out still holds the event, so until then nothing can change it. */
    | { readonly reason: 'dead'; readonly lastError?: string; readonly until?: string }
    | { readonly reason: 'quarantined'; readonly code: string }
    /** `since` is when its handler started, and `until` when its claim ends by itself, if the store knows them. */
    | { readonly reason: 'running' | 'stalled'; readonly since?: string | undefined; readonly until?: string }
    | { readonly reason: 'paused'; readonly pause: Pause }
    | {
        readonly reason: 'circuit_open'
        readonly type: string
        readonly failures: number
        readonly retryAt: string
      }
    /** `running` is how many handlers run, by the last reports of their processes. Absent if none does. */
    | {
        readonly reason: 'rate_limited'
        readonly type?: string
        readonly resource?: string
        readonly running?: number
      }
    | { readonly reason: 'waits_for_retry'; readonly retryAt: string; readonly lastError?: string }
    /** `earlier` is the id of the event that runs first. */
    | { readonly reason: 'waits_for_earlier'; readonly earlier: string; readonly resource: string }
    | { readonly reason: 'no_worker' }
    | { readonly reason: 'due'; readonly workers: number; readonly running?: number }
  )
