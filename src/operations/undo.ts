import { invalidOption } from '../errors.js'
import type { Settings } from '../options/settings.js'
import type { Audit } from '../store/inbox.js'
import { checkAudit, checkId } from './check-arguments.js'
import { eventKey } from './inbox-of.js'
import { bulkOf } from './plan.js'

/** What takes back a discard. */
export interface UndoOperations {
  /**
   * Brings back what was discarded, exactly as it was: an event by its id, a quarantined delivery by its key, or everything
   * that a run discarded by the id of the run. Only within `undoSeconds` of the discard, and not where the event was
   * delivered again in the meantime: then it is a new event. Resolves to how many came back. Rejects with `invalid_option`
   * where none did.
   */
  undo(idOrKeyOrRun: string, audit: Audit): Promise<number>
}

/** How many one commit brings back. */
const batch = 500

export function undoOperations(settings: Settings): UndoOperations {
  const { endpoint } = settings
  return {
    async undo(given, audit) {
      checkAudit('undo', audit)
      const { reason, actor } = audit
      const bulk = bulkOf(settings)
      const run = await bulk.readRun(checkId('idOrKeyOrRun', given))
      const of = run
        ? [{ endpoint: run.endpoint ?? endpoint, run: run.id }]
        : [
            { endpoint, key: given },
            { endpoint, key: await eventKey(settings, 'idOrKeyOrRun', given) },
          ]
      let total = 0
      for (const what of of) {
        for (let found = batch; found >= batch; ) {
          const done = await bulk.undo(what, { reason, actor }, batch)
          found = done.found
          total += done.undone
        }
      }
      if (total === 0) {
        const fact = 'nothing that was discarded under it can come back'
        throw invalidOption(
          `${fact}: its window has ended, it was delivered again, or it was never discarded`,
        )
      }
      return total
    },
  }
}
