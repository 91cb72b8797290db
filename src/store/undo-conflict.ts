import type { ConflictError } from '../errors.js'
import { discardChanged, runChanged } from './changed.js'
import type { UndoPlace } from './discarded.js'

/**
 * Why an undo is rejected: what it found is not what its caller saw. `now` is until when the discard that was found can be undone, or
 * how many changes its run has. `undefined` if nothing was found.
 */
export function undoConflict(what: UndoPlace, now: string | number | undefined): ConflictError | undefined {
  if (!what.seen || now === undefined) {
    return undefined
  }
  if ('run' in what) {
    return what.seen.changes === now ? undefined : runChanged()
  }
  return what.seen.undoUntil === now ? undefined : discardChanged()
}
