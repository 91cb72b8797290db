import { invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Discarded } from '../store/bulk-records.js'
import { checkLimit } from '../store/check-values.js'
import type { Audit } from '../store/inbox.js'
import { isDeliveryKey } from '../store/quarantined-delivery.js'
import { checkId, requireAudit } from './check-arguments.js'
import { capability, eventKey, ofEndpoint } from './inbox-of.js'
import { whyNothingCame } from './last-discard.js'

/** The methods that undo a discard. */
export interface UndoOperations {
  /**
   * Restores discarded events and deliveries, unchanged. Takes the id of an event, the key of a quarantined delivery, or the
   * id of a run. For a run it restores everything that the run discarded. Works within `undoSeconds` of the discard. An event
   * that was delivered again in the meantime is not restored. If the id of an event is also the key of a delivery, it restores
   * both, unless `kind` names one. With `kind` the id is not that of a run. Resolves to how many were restored. Rejects with
   * `invalid_option` if none was.
   */
  undo(
    idOrKeyOrRun: string,
    audit: Audit,
    options?: { readonly kind?: 'event' | 'delivery' | undefined },
  ): Promise<number>
  /** What `undo` would restore now, 100 by default. Empty if the time for `undo` has ended. Changes nothing. */
  undoable(
    idOrKeyOrRun: string,
    options?: { readonly kind?: 'event' | 'delivery' | undefined; readonly limit?: number | undefined },
  ): Promise<Discarded[]>
}

/** How many one commit restores. */
const batch = 500

export function undoOperations(settings: Settings): UndoOperations {
  const { endpoint } = settings

  /** Where to look for what was discarded. */
  async function placesOf(given: unknown, kind: unknown) {
    if (kind !== undefined && kind !== 'event' && kind !== 'delivery') {
      throw invalidOption("kind must be 'event' or 'delivery'")
    }
    const id = checkId('idOrKeyOrRun', given)
    // A sender chooses the id of an event, which may be that of a run.
    const run =
      kind === undefined ? ofEndpoint(settings, await capability(settings, 'bulk').readRun(id)) : undefined
    const keys = [
      ...(kind !== 'event' && isDeliveryKey(id, endpoint) ? [id] : []),
      ...(kind !== 'delivery' ? [await eventKey(settings, 'idOrKeyOrRun', id)] : []),
    ]
    return { run, keys, places: run ? [{ endpoint, run: run.id }] : keys.map((key) => ({ endpoint, key })) }
  }

  return {
    async undo(given, audit, options = {}) {
      requireAudit('undo', audit)
      const { kind } = givenOptions('undo', options, ['kind'])
      const { reason, actor } = audit
      const { places, keys, run } = await placesOf(given, kind)
      let total = 0
      for (const place of places) {
        for (let found = batch; found >= batch; ) {
          const done = await capability(settings, 'bulk').undo(place, { reason, actor }, batch)
          found = done.found
          total += done.undone
        }
      }
      if (total === 0) {
        throw invalidOption(`nothing was restored: ${await whyNothingCame(settings, keys, run)}`)
      }
      return total
    },

    async undoable(given, options = {}) {
      const { kind, limit = 100 } = givenOptions('undoable', options, ['kind', 'limit']) as typeof options
      checkLimit(limit)
      const { places } = await placesOf(given, kind)
      const found: Discarded[] = []
      for (const place of places) {
        found.push(...(await capability(settings, 'bulk').discarded(place, limit - found.length)))
      }
      return found
    },
  }
}
