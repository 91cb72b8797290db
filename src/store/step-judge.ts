import type { BulkAction } from './bulk-plan.js'
import type { SkipReason } from './bulk-run.js'
import type { InboxState } from './inbox.js'

/** An event as a run finds it. */
export interface FoundEvent {
  readonly state: InboxState
  readonly generation: number
  readonly isRunning: boolean
  /** Whether it could run now. */
  readonly isDue: boolean
  /** Whether its original or an edited copy of it is done, or is to run. */
  readonly hasOtherVersion: boolean
}

/** The next event of a run. */
export interface RunItem {
  /** The generation at the time of the plan. */
  readonly planned: number
  readonly root: string | null
  /** `undefined` if the event was discarded or pruned. */
  readonly found: FoundEvent | undefined
}

/** Decides for each event of one step, in the order of the plan, whether the run may change it. */
export class StepJudge {
  /** The roots of what the step changes. The events were read before the step changed one. */
  readonly #changed = new Set<string | null>()
  #isFirst = true

  constructor(
    readonly action: BulkAction,
    /** The states that the events of the plan were in. */
    readonly states: readonly InboxState[],
    /** Whether the queue rejected the first event. */
    readonly skipsFirst: boolean,
  ) {}

  /** Why the run must skip an event; `undefined` if it may change it. Call it once for each event. */
  reasonToSkip(item: RunItem): SkipReason | 'failed' | undefined {
    const isSkipped = this.#isFirst && this.skipsFirst
    this.#isFirst = false
    if (isSkipped) {
      return 'failed'
    }
    const reason = this.#reasonOf(item)
    if (!reason) {
      this.#changed.add(item.root)
    }
    return reason
  }

  #reasonOf({ planned, root, found }: RunItem): SkipReason | undefined {
    if (!found) {
      return 'is_gone'
    }
    if (found.generation !== planned) {
      return 'already_replayed'
    }
    if (found.isRunning) {
      return 'is_running'
    }
    if (!this.states.includes(found.state)) {
      return 'changed_state'
    }
    const isOfChanged = root !== null && this.#changed.has(root)
    if (this.action === 'replay' && (found.hasOtherVersion || isOfChanged)) {
      return 'has_other_version'
    }
    return this.action === 'retryNow' && found.isDue ? 'is_due' : undefined
  }
}
