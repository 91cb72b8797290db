import type { Context } from '../context.js'
import { Pause } from '../pause.js'
import { ask, correct, fail, process, settle } from './moves.js'
import { findRail } from './rails.js'
import { Refusal } from './refusal.js'
import type { Step, TransferRow } from './transfers.js'

/** How many transfers move in one commit. */
const batchSize = 250

export interface ProgressListeners {
  /** Called after each commit. */
  readonly onMoved: (transferIds: readonly string[]) => void
  /** Called if due transfers cannot be moved. They are moved after a pause. Must not throw. */
  readonly onFailure: (error: unknown) => void
}

/** Moves each transfer when it is due. The planned steps are in the database, so they continue after a restart. */
export class Progress {
  readonly #context: Context
  readonly #listeners: ProgressListeners
  readonly #pause = new Pause(() => this.wake())
  #cancel: (() => void) | undefined
  #plannedAt = Number.POSITIVE_INFINITY
  #isClosed = false

  constructor(context: Context, listeners: ProgressListeners) {
    this.#context = context
    this.#listeners = listeners
  }

  /** Finds the transfer that is due next. Call it after each change of transfers. */
  wake(): void {
    if (this.#isClosed) {
      return
    }
    const dueAt = this.nextDueAt()
    if (dueAt >= this.#plannedAt) {
      return
    }
    this.#cancel?.()
    this.#plannedAt = dueAt
    this.#cancel = this.#context.clock.at(dueAt, () => this.#moveDue())
  }

  /** When the next transfer is due, in unix milliseconds; `Infinity` if none is. */
  nextDueAt(): number {
    const row = this.#context.database
      .prepare('SELECT MIN(due_at) AS due_at FROM transfers WHERE next_step IS NOT NULL')
      .get() as { due_at: number | null }
    return row.due_at ?? Number.POSITIVE_INFINITY
  }

  close(): void {
    this.#isClosed = true
    this.#cancel?.()
    this.#pause.cancel()
  }

  #moveDue(): void {
    this.#plannedAt = Number.POSITIVE_INFINITY
    if (this.#isClosed) {
      return
    }
    try {
      const moved = this.#moveBatch()
      if (moved.length > 0) {
        this.#listeners.onMoved(moved)
      }
      this.wake()
    } catch (error) {
      this.#pause.begin()
      this.#listeners.onFailure(error)
    }
  }

  #moveBatch(): string[] {
    const { database, clock } = this.#context
    return database.transaction(() => {
      const due = database
        .prepare(
          'SELECT * FROM transfers WHERE next_step IS NOT NULL AND due_at <= ? ORDER BY due_at, seq LIMIT ?',
        )
        .all(clock.now(), batchSize) as TransferRow[]
      for (const transfer of due) {
        this.#take(transfer)
      }
      return due.map(({ id }) => id)
    })()
  }

  /** If the next state is not among the transitions, the transfer keeps its state. */
  #take(transfer: TransferRow): void {
    try {
      steps[transfer.next_step as Step](this.#context, transfer)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'impossible_transition') {
        throw error
      }
      this.#context.database
        .prepare('UPDATE transfers SET next_step = NULL, due_at = NULL WHERE id = ?')
        .run(transfer.id)
    }
  }
}

const steps: Readonly<Record<Step, (context: Context, transfer: TransferRow) => void>> = {
  ask,
  process,
  finish(context, transfer) {
    const failure = findRail(transfer.rail)?.failure
    if (failure) {
      fail(context, transfer, failure)
    } else {
      settle(context, transfer)
    }
  },
  correct,
}
