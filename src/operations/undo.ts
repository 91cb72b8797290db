import { invalidOption } from '../errors.js'
import type { Settings } from '../options/settings.js'
import type { Audit } from '../store/inbox.js'
import { checkAudit, checkId } from './check-arguments.js'
import { eventKey } from './inbox-of.js'
import { bulkOf } from './plan.js'

/** What takes back a discard. */
export interface UndoOperations {
  /**
   * Restores what was discarded, unchanged. Takes the id of an event, the key of a quarantined delivery, or the id of a run,
   * for everything that the run discarded. Works within `undoSeconds` of the discard. An event that was delivered again in
   * the meantime is not restored. Resolves to how many were restored. Rejects with `invalid_option` where none was.
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
