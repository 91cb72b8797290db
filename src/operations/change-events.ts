import { invalidOption } from '../errors.js'
import { priorityOf } from '../flow/priority.js'
import type { Settings } from '../options/settings.js'
import { prune } from '../prune.js'
import type { Audit } from '../store/inbox.js'
import { parseQuarantineKey } from '../store/quarantined-delivery.js'
import { checkAudit, checkId } from './check-arguments.js'
import { eventKey, inboxOf } from './inbox-of.js'

/** What an operator does with one event or delivery, and pruning. */
export interface ChangeOperations {
  /**
   * Makes an event run again, whether it is done or dead. Checks no permissions. The audit is kept with the event. Resolves
   * to the new generation of the event. Rejects with `invalid_option` for an unknown id, or an empty reason or actor.
   */
  replay(eventId: string, audit: Audit): Promise<number>
  /**
   * Deletes a dead event by its id, or a quarantined delivery by the `key` that `quarantined` lists. Checks no
   * permissions. The audit is kept. Rejects with `invalid_option` for anything else, and for an empty reason or actor. A later
   * delivery of a discarded event is a new event. `undo` brings it back within `undoSeconds`.
   */
  discard(idOrKey: string, audit: Audit): Promise<void>
  /**
   * Deletes events done longer than `retentionSeconds` ago, and deliveries quarantined longer ago than that, in batches.
   * Covers the whole store. Resolves to how many were deleted. After `start()` the receiver calls it by itself: see
   * `pruneEverySeconds`.
   */
  prune(): Promise<number>
}

export function changeOperations(settings: Settings): ChangeOperations {
  const { endpoint, queue, undoSeconds } = settings
  return {
    async replay(eventId, audit) {
      checkAudit('replay', audit)
      if (!queue) {
        throw invalidOption('replay needs a queue that runs the event')
      }
      const key = await eventKey(settings, 'eventId', eventId)
      const inbox = inboxOf(settings)
      const stored = await inbox.read(key)
      if (!stored) {
        throw unknownEvent(eventId)
      }
      const { type, resource } = stored
      const job = { key, type, endpoint, resource, priority: priorityOf(settings, type) }
      const enqueue = async (tx: unknown, generation: number) => queue.enqueue?.({ ...job, generation }, tx)
      const generation = await inbox.requeue(key, audit, enqueue)
      if (generation === undefined) {
        throw unknownEvent(eventId)
      }
      queue.committed?.({ ...job, generation })
      return generation
    },

    async discard(idOrKey, audit) {
      checkAudit('discard', audit)
      const inbox = inboxOf(settings)
      // The key of a quarantined delivery begins with its endpoint: a receiver discards only those of its own.
      const isDelivery = parseQuarantineKey(checkId('idOrKey', idOrKey))?.endpoint === endpoint
      if (isDelivery && (await inbox.discard(idOrKey, audit, undoSeconds))) {
        return
      }
      if (await inbox.discard(await eventKey(settings, 'idOrKey', idOrKey), audit, undoSeconds)) {
        return
      }
      throw invalidOption('discard needs the id of a dead event or the key of a quarantined delivery')
    },

    prune: async () => prune(settings),
  }
}

const unknownEvent = (eventId: string) => invalidOption(`no event ${eventId} is kept`)
