import { eventNotFound, invalidOption, targetNotFound, wrongState } from '../errors.js'
import { jobOf } from '../flow/job-of.js'
import { givenOptions, readable } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import { tellQueue } from '../queue/tell-queue.js'
import { eventChanged } from '../store/changed.js'
import type { Audit, SeenEvent } from '../store/inbox.js'
import { isDeliveryKey } from '../store/quarantined-delivery.js'
import { checkCopies, checkSeen } from '../store/seen-event.js'
import { requireAudit } from './check-arguments.js'
import { eventKey, inboxOf, queueFor } from './inbox-of.js'
import { lastDiscard } from './last-discard.js'
import { prune } from './prune.js'

/** A condition of a change to one event. */
export interface ChangeOptions {
  /**
   * The event as the caller saw it, for example as `inspect` returned it. If its state or generation has changed since, the
   * call changes nothing and rejects with `ConflictError` `event_changed`.
   */
  readonly seen?: SeenEvent | undefined
}

/** A condition of what runs an event or a copy of it. */
export interface ReplayOptions extends ChangeOptions {
  /**
   * The ids of its edited copies as the caller saw them, for example from `list` with `root`. If its newest copy is not among
   * them, the call changes nothing and rejects with `ConflictError` `event_changed`. An edit does not change the event, so
   * `seen` does not detect it. So of two operators who act on one event at the same time only one runs it or a copy.
   */
  readonly copies?: readonly string[] | undefined
}

export interface DiscardOptions extends ChangeOptions {
  /** What to discard, if the id of an event is also the key of a quarantined delivery. Default `'event'` with `seen`. */
  readonly kind?: 'event' | 'delivery' | undefined
}

/** Changes of one event or delivery, and pruning. */
export interface ChangeOperations {
  /**
   * Makes an event run again, whether it is done or dead. Checks no permissions. The audit is kept with the event. Resolves
   * to the new generation of the event. Rejects with `event_not_found` for an unknown id, and with `invalid_option` for an empty
   * reason or actor, and if the receiver has no queue. With `seen` a second click, or a second operator, does not run it twice. With `copies` it does not
   * run beside an edited copy that the caller has not seen.
   */
  replay(eventId: string, audit: Audit, options?: ReplayOptions): Promise<number>
  /**
   * Deletes a dead event by its id, or a quarantined delivery by the `key` that `quarantined` lists. Checks no
   * permissions. The audit is kept. Rejects with `event_not_found` for an unknown id, with `target_not_found` for an unknown delivery, and
   * with `wrong_state` for an event that is not dead. Rejects with `invalid_option` for an empty reason or actor, and if both an event and
   * a delivery are meant and `kind` is absent. A later delivery of a discarded event is a new event. `undo` restores it within
   * `undoSeconds`.
   */
  discard(idOrKey: string, audit: Audit, options?: DiscardOptions): Promise<void>
  /**
   * Deletes events that were done more than `retentionSeconds` ago, and deliveries that were quarantined more than
   * `quarantineRetentionSeconds` ago, in batches. Covers the whole store. Resolves to how many were deleted. Also deletes old
   * plans, groups of failures, and what `undo` can no longer restore, but does not count them. After `start()` the receiver
   * calls it by itself: see `pruneEverySeconds`.
   */
  prune(): Promise<number>
}

export function changeOperations(settings: Settings): ChangeOperations {
  const { endpoint, undoSeconds } = settings
  return {
    async replay(eventId, audit, options = {}) {
      requireAudit('replay', audit)
      const asked = givenOptions('replay', options, ['seen', 'copies'])
      const [seen, copies] = [seenOf(asked), copiesOf(asked)]
      const queue = queueFor('replay needs a queue that runs the event', settings)
      const key = await eventKey(settings, 'eventId', eventId)
      const inbox = inboxOf(settings)
      const stored = await inbox.read(key)
      if (!stored) {
        throw missing(eventId, seen)
      }
      await queue.prepare?.(endpoint)
      const enqueue = async (tx: unknown, generation: number) =>
        queue.enqueue?.(jobOf(settings, stored, generation), tx)
      const generation = await inbox.requeue(key, audit, enqueue, seen, copies)
      if (generation === undefined) {
        throw missing(eventId, seen)
      }
      tellQueue(settings.logger, () => queue.committed?.(jobOf(settings, stored, generation)))
      return generation
    },

    async discard(idOrKey, audit, options = {}) {
      requireAudit('discard', audit)
      const { kind: given, ...rest } = givenOptions('discard', options, ['seen', 'kind'])
      const seen = seenOf(rest)
      const inbox = inboxOf(settings)
      const key = await eventKey(settings, 'idOrKey', idOrKey)
      const kind = checkKind(given, seen) ?? (isDeliveryKey(idOrKey, endpoint) ? undefined : 'event')
      // A sender chooses the id of an event, and knows the key of each of its quarantined deliveries.
      if (kind === undefined && (await inbox.read(key))) {
        throw invalidOption('an event has this key as its id; say which of the two, with kind')
      }
      const isDiscarded =
        kind === 'event'
          ? await inbox.discard(key, audit, undoSeconds, seen)
          : isDeliveryKey(idOrKey, endpoint) && (await inbox.discard(idOrKey, audit, undoSeconds))
      if (isDiscarded) {
        return
      }
      if (seen?.state === 'dead') {
        throw eventChanged()
      }
      if (kind !== 'event') {
        throw isDeliveryKey(idOrKey, endpoint)
          ? targetNotFound(
              'no delivery is quarantined under this key; likely cause: an operator has discarded or released it',
            )
          : invalidOption('discard needs the id of a dead event or the key of a quarantined delivery')
      }
      const found = await inbox.read(key)
      // It died, or was restored, after the store had looked for it.
      if (found?.state === 'dead') {
        throw eventChanged()
      }
      throw found
        ? wrongState(`event ${idOrKey} is ${found.state}, and only a dead event can be discarded`)
        : eventNotFound(idOrKey, await whoDiscarded(settings, key))
    },

    prune: async () => prune(settings),
  }
}

/** Another operator may have been faster. */
async function whoDiscarded(settings: Settings, key: string): Promise<string> {
  const last = await lastDiscard(settings, { key })
  return last?.action === 'discard' ? `: ${last.actor} discarded it at ${last.at}` : ''
}

/** With `seen`, the event existed and was deleted. Without it, the id is unknown. */
export const missing = (eventId: string, seen: SeenEvent | undefined) =>
  seen ? eventChanged() : eventNotFound(eventId)

export function seenOf({ seen }: Record<string, unknown>): SeenEvent | undefined {
  readable('seen', () => checkSeen(seen as SeenEvent | undefined))
  return seen as SeenEvent | undefined
}

export function copiesOf({ copies }: Record<string, unknown>): readonly string[] | undefined {
  readable('copies', () => checkCopies(copies))
  return copies as readonly string[] | undefined
}

function checkKind(kind: unknown, seen: SeenEvent | undefined): 'event' | 'delivery' | undefined {
  if (kind !== undefined && kind !== 'event' && kind !== 'delivery') {
    throw invalidOption("kind must be 'event' or 'delivery'")
  }
  if (seen && kind === 'delivery') {
    throw invalidOption('seen is of an event, not of a delivery')
  }
  return seen ? 'event' : kind
}
