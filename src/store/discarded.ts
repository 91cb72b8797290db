import type { SeenRun } from './bulk-run.js'

/** A discarded event or delivery that `undo` can still restore. */
export interface Discarded {
  readonly kind: 'event' | 'delivery'
  /** The key of the event or of the quarantined delivery. */
  readonly key: string
  readonly eventId?: string
  /** Of an event, as it was. */
  readonly type?: string
  readonly resource?: string
  readonly lastError?: string
  /** Until when `undo` is possible. RFC 3339, by the database’s clock. */
  readonly undoUntil: string
  /** True if a later delivery has replaced it, so that `undo` cannot restore it. */
  readonly isReplaced: boolean
}

/** What tells a discard from a later one of the same event or delivery. */
export type SeenDiscard = Pick<Discarded, 'kind' | 'undoUntil'>

/** Where to search for a discard: the key of an event or a delivery, or a run. */
export type DiscardPlace = { readonly endpoint: string } & (
  | { readonly key: string }
  | { readonly run: string }
)

/** What to undo, and what the caller saw of it. */
export type UndoPlace = { readonly endpoint: string } & (
  | { readonly key: string; readonly seen?: SeenDiscard | undefined }
  | { readonly run: string; readonly seen?: SeenRun | undefined }
)
