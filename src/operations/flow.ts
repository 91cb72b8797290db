import { invalidOption, wrongState } from '../errors.js'
import { aliveSeconds } from '../flow/beat.js'
import type { FlowGate } from '../flow/flow-gate.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import { tellQueue } from '../queue/tell-queue.js'
import type { Circuit, Pause, PauseTarget, SeenPause, SeenWorker, VersionStart } from '../store/flow-store.js'
import type { Audit } from '../store/inbox.js'
import { requireAudit, type ScopeOption, scopeOf } from './check-arguments.js'
import { capability } from './inbox-of.js'

/** What to pause: a type, a resource, or the whole endpoint if neither is given. */
export interface FlowTarget {
  readonly type?: string | undefined
  readonly resource?: string | undefined
}

/** A condition of the end of a pause. */
export interface ResumeOptions {
  /**
   * The pause as the caller saw it, for example as `paused` returned it. If that one has ended and the target is paused again, the
   * call changes nothing and rejects with `ConflictError` `pause_changed`.
   */
  readonly seen?: SeenPause | undefined
}

/** Holds events back in every process on the store, also in processes that start later. */
export interface FlowOperations {
  /**
   * Pauses the endpoint, a type or a resource. Events are still accepted, and wait. A handler that is running continues. Other
   * processes follow within a second. Resolves to false if it was paused before. Rejects with `wrong_state` if the
   * endpoint has 1000 pauses.
   */
  pause(target: FlowTarget, audit: Audit): Promise<boolean>
  /**
   * Ends a pause. Events run again within about a second in this process, and within about 20 seconds in others. Resolves to
   * false if it was not paused. With `seen` it does not end a pause that somebody began after the caller looked.
   */
  resume(target: FlowTarget, audit: Audit, options?: ResumeOptions): Promise<boolean>
  /** What is paused, oldest first. */
  paused(query?: ScopeOption): Promise<Pause[]>
  /** The types of this endpoint whose circuit is open. No event of these types runs, except one as a trial. */
  openCircuits(): Promise<Circuit[]>
  /**
   * The processes that run events of this endpoint, oldest first. A process that was killed is listed for another minute. Rejects
   * with `StoreError` while no process can report, because another process locks the store.
   */
  workers(): Promise<SeenWorker[]>
  /** When each version of the program began to run events of this endpoint in the last 31 days, oldest first. */
  versions(): Promise<VersionStart[]>
}

/** The maximum number of pauses, because each search for due events reads all of them. */
const mostPauses = 1000

export function flowOperations(settings: Settings, gate: FlowGate): FlowOperations {
  const { endpoint } = settings

  /** The change is committed. If it cannot be read now, this process reads it before its next event, and with its next beat. */
  const refresh = () => gate.refresh().catch(() => {})

  return {
    async pause(target, audit) {
      requireAudit('pause', audit)
      const flow = capability(settings, 'flow')
      const checked = targetOf('pause', target, endpoint)
      if ((await flow.paused({ endpoint })).length >= mostPauses) {
        throw wrongState(`the endpoint has ${mostPauses} pauses; resume some of them, or pause the endpoint`)
      }
      const isChanged = await flow.pause(checked, audit)
      await refresh()
      return isChanged
    },

    async resume(target, audit, options = {}) {
      requireAudit('resume', audit)
      const { seen } = givenOptions('resume', options, ['seen']) as ResumeOptions
      const checked = targetOf('resume', target, endpoint)
      const isChanged = await capability(settings, 'flow').resume(checked, audit, seen)
      await refresh()
      if (isChanged) {
        tellQueue(settings.logger, () => settings.queue?.resumed?.())
      }
      return isChanged
    },

    async paused(query = {}) {
      const page = givenOptions('paused', query, ['allEndpoints'])
      return capability(settings, 'flow').paused(scopeOf(page, endpoint))
    },

    async openCircuits() {
      const { circuits } = await capability(settings, 'flow').holds(endpoint)
      return circuits.filter(({ isHolding }) => isHolding)
    },

    async workers() {
      const flow = capability(settings, 'flow')
      await flow.checkReports?.()
      return flow.workers(endpoint, aliveSeconds)
    },

    versions: async () => capability(settings, 'flow').versions(endpoint),
  }
}

function targetOf(verb: string, target: FlowTarget, endpoint: string): PauseTarget {
  const { type, resource } = givenOptions(verb, target, ['type', 'resource']) as FlowTarget
  for (const [name, value] of Object.entries({ type, resource })) {
    if (value !== undefined && (typeof value !== 'string' || value === '' || value.length > 512)) {
      throw invalidOption(`${name} must be a string of 1 to 512 characters`)
    }
  }
  if (type !== undefined && resource !== undefined) {
    throw invalidOption(`${verb} takes a type or a resource, not both`)
  }
  return { endpoint, type, resource }
}
