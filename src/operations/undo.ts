import { invalidOption, wrongState } from '../errors.js'
import { givenOptions, readable } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Run, SeenRun } from '../store/bulk-run.js'
import { checkLimit } from '../store/check-values.js'
import type { Discarded, DiscardPlace, SeenDiscard, UndoPlace } from '../store/discarded.js'
import type { Audit } from '../store/inbox.js'
import { isDeliveryKey } from '../store/quarantined-delivery.js'
import { checkId, requireAudit } from './check-arguments.js'
import { capability, eventKey, ofEndpoint } from './inbox-of.js'
import { whyNothingCame } from './last-discard.js'

/** A condition of an undo. */
export interface UndoOptions {
  /** What to restore, if the id of an event is also the key of a delivery or the id of a run. Default: that of `seen`. */
  readonly kind?: 'event' | 'delivery' | undefined
  /**
   * The discard as the caller saw it, for example as `undoable` returned it. If it was restored and discarded again since, the call
   * changes nothing and rejects with `ConflictError` `discard_changed`. For a run, the run as the caller saw it. If an operator has
   * paused, resumed or cancelled it since, the call rejects with `run_changed`.
   */
  readonly seen?: SeenDiscard | SeenRun | undefined
}

/** The methods that undo a discard. */
export interface UndoOperations {
  /**
   * Restores discarded events and deliveries, unchanged. Takes the id of an event, the key of a quarantined delivery, or the
   * id of a run. For a run it restores everything that the run discarded. A run that has not ended is cancelled first. Works within `undoSeconds` of the discard. An event
   * that was delivered again in the meantime is not restored. If the id of an event is also the key of a delivery, it restores
   * both, unless `kind` or `seen` names one. With `kind` the id is not that of a run. Resolves to how many were restored. Rejects
   * with `wrong_state` if none was. With `seen` it does not take back a discard that somebody made after the caller looked.
   */
  undo(idOrKeyOrRun: string, audit: Audit, options?: UndoOptions): Promise<number>
  /** What `undo` would restore now, 100 by default. Empty if the time for `undo` has ended. Changes nothing. */
  undoable(
    idOrKeyOrRun: string,
    options?: { readonly kind?: 'event' | 'delivery' | undefined; readonly limit?: number | undefined },
  ): Promise<Discarded[]>
}

interface Places {
  readonly run: Run | undefined
  readonly keys: readonly string[]
  readonly places: readonly DiscardPlace[]
}

/** How many one commit restores. */
const batch = 500

export function undoOperations(settings: Settings): UndoOperations {
  const { endpoint } = settings

  /** Where to look for what was discarded. */
  async function placesOf(given: unknown, kind: Kind | undefined): Promise<Places> {
    const id = checkId('idOrKeyOrRun', given)
    // A sender chooses the id of an event, which may be that of a run.
    const mayBeRun = kind === undefined || kind === 'run'
    const run = mayBeRun ? ofEndpoint(settings, await capability(settings, 'bulk').readRun(id)) : undefined
    const may = (other: Kind) => kind === undefined || kind === other
    const keys = [
      ...(may('delivery') && isDeliveryKey(id, endpoint) ? [id] : []),
      ...(may('event') ? [await eventKey(settings, 'idOrKeyOrRun', id)] : []),
    ]
    return { run, keys, places: run ? [{ endpoint, run: run.id }] : keys.map((key) => ({ endpoint, key })) }
  }

  /** Otherwise a run that goes on would discard the rest. One that has discarded nothing is not cancelled. */
  async function cancelFirst({ id }: Run, audit: Audit, seen: UndoOptions['seen']): Promise<boolean> {
    const bulk = capability(settings, 'bulk')
    const [first] = await bulk.discarded({ endpoint, run: id }, 1)
    return first !== undefined && bulk.changeRun(id, 'cancelled', audit, seen as SeenRun | undefined)
  }

  return {
    async undo(given, audit, options = {}) {
      requireAudit('undo', audit)
      const { kind, seen } = givenOptions('undo', options, ['kind', 'seen']) as UndoOptions
      const { reason, actor } = audit
      const { places, keys, run } = await placesOf(given, kindOf(kind, seen))
      const isCancelled = run !== undefined && (await cancelFirst(run, { reason, actor }, seen))
      let total = 0
      for (const place of places) {
        // To cancel a run changes it, and compared it with `seen`.
        let what = (isCancelled ? place : { ...place, seen }) as UndoPlace
        for (let found = batch; found >= batch; ) {
          const done = await capability(settings, 'bulk').undo(what, { reason, actor }, batch)
          // What is changed by now was changed after this call began.
          what = place
          found = done.found
          total += done.undone
        }
      }
      if (total === 0) {
        const why = await whyNothingCame(settings, keys, run)
        throw wrongState(`nothing was restored: ${why}${isCancelled ? '; the run is cancelled' : ''}`)
      }
      return total
    },

    async undoable(given, options = {}) {
      const { kind, limit = 100 } = givenOptions('undoable', options, ['kind', 'limit']) as typeof options
      checkLimit(limit)
      const { places } = await placesOf(given, kindOf(kind))
      const found: Discarded[] = []
      for (const place of places) {
        found.push(...(await capability(settings, 'bulk').discarded(place, limit - found.length)))
      }
      return found
    },
  }
}

type Kind = 'event' | 'delivery' | 'run'

/** What to look for. Throws `ConfigurationError` `invalid_option` if that is unclear. */
function kindOf(kind: unknown, seen?: unknown): Kind | undefined {
  if (kind !== undefined && !isKind(kind)) {
    throw invalidOption("kind must be 'event' or 'delivery'")
  }
  if (seen === undefined) {
    return kind
  }
  const about = readable('seen', () => kindSeen(Object(seen)))
  if (about === undefined) {
    throw invalidOption('seen must be a discard as undoable returns it, or a run')
  }
  if (kind !== undefined && kind !== about) {
    throw invalidOption(`seen is not of the ${kind} that kind names`)
  }
  return about
}

/** Only a run has `changes`, and it names no kind. */
function kindSeen(seen: { readonly kind?: unknown }): Kind | undefined {
  if ('changes' in seen) {
    return 'run'
  }
  const { kind } = seen
  return isKind(kind) ? kind : undefined
}

const isKind = (kind: unknown): kind is 'event' | 'delivery' => kind === 'event' || kind === 'delivery'
