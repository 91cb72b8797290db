import { invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Audit } from '../store/inbox.js'
import { checkAudit, checkId } from './check-arguments.js'
import { eventKey, isDeliveryKey } from './inbox-of.js'
import { bulkOf, ofEndpoint } from './plan.js'

/** What takes back a discard. */
export interface UndoOperations {
  /**
   * Restores what was discarded, unchanged. Takes the id of an event, the key of a quarantined delivery, or the id of a run,
   * for everything that the run discarded. Works within `undoSeconds` of the discard. An event that was delivered again in
   * the meantime is not restored. Where an event has the key of a delivery as its id, it restores both, unless `kind` says which.
   * Resolves to how many were restored. Rejects with `invalid_option` where none was.
   */
  undo(
    idOrKeyOrRun: string,
    audit: Audit,
    options?: { readonly kind?: 'event' | 'delivery' | undefined },
  ): Promise<number>
}

/** How many one commit brings back. */
const batch = 500

export function undoOperations(settings: Settings): UndoOperations {
  const { endpoint } = settings
  return {
    async undo(given, audit, options = {}) {
      checkAudit('undo', audit)
      const { kind } = givenOptions('undo', options, ['kind'])
      if (kind !== undefined && kind !== 'event' && kind !== 'delivery') {
        throw invalidOption("kind must be 'event' or 'delivery'")
      }
      const { reason, actor } = audit
      const bulk = bulkOf(settings)
      const run = ofEndpoint(settings, await bulk.readRun(checkId('idOrKeyOrRun', given)))
      const of = run
        ? [{ endpoint, run: run.id }]
        : [
            ...(kind !== 'event' && isDeliveryKey(given, endpoint) ? [{ endpoint, key: given }] : []),
            ...(kind !== 'delivery'
              ? [{ endpoint, key: await eventKey(settings, 'idOrKeyOrRun', given) }]
              : []),
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
