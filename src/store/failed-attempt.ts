import { HandlerFailure, NotCalled } from '../errors.js'

/** An attempt of an event that did not succeed, or several in a row of which nothing else is known, or a success before a replay. */
export interface FailedAttempt {
  /** The generation of the event at that time. The numbers of the attempts begin again with each replay. */
  readonly generation: number
  /**
   * Its number, which counts the claims. 0 if the event failed before its first claim. If a number occurs twice, the second
   * failure happened before the next claim.
   */
  readonly attempt: number
  /** When it failed or succeeded: RFC 3339, by the database’s clock. Absent where `lost` is given. */
  readonly at?: string
  /** True if it succeeded. A replay keeps it here, because the event itself has no `doneAt` then. */
  readonly isDone?: true
  /** Why it failed, as `lastError`. */
  readonly error?: string
  /** The group of failures that it joined. */
  readonly group?: string
  /** When the queue planned the next attempt. Absent if it planned none. */
  readonly retryAt?: string
  /**
   * True if it takes nothing from the attempts of its queue: the handler was not called, its claim was lost, or `stop()` had aborted
   * it.
   */
  readonly isUncounted?: true
  /**
   * The number of attempts, up to this one, of which nothing else is known: the process ended, lost its claim, or has an earlier
   * version of this package.
   */
  readonly lost?: number
}

/** How many attempts of one event an inbox keeps: the newest, and the first success. */
export const mostAttempts = 20

/** Whether the failure of the work of `once` takes nothing from the attempts of a queue. */
export const isUncounted = (error: unknown): boolean =>
  error instanceof HandlerFailure ? !error.isAttempt : error instanceof NotCalled

/**
 * Adds a failure to those of an event. `once` notes a failure, and then the queue notes what it does about it. So the note
 * of a queue replaces that of `once` on the same attempt.
 */
export function withAttempt(
  kept: readonly FailedAttempt[],
  next: FailedAttempt,
  isOfQueue: boolean,
): readonly FailedAttempt[] {
  const last = kept.at(-1)
  const isNoted =
    isOfQueue &&
    last?.generation === next.generation &&
    last.attempt === next.attempt &&
    last.retryAt === undefined
  return withOneMore(isNoted ? kept.slice(0, -1) : kept, next)
}

/** Keeps the first success, which a person looks for long after. */
function withOneMore(kept: readonly FailedAttempt[], next: FailedAttempt): readonly FailedAttempt[] {
  const oldest = kept[0]?.isDone ? 1 : 0
  return [...(kept.length < mostAttempts ? kept : kept.toSpliced(oldest, 1)), next]
}

/** Adds the success of a generation to the attempts, before a replay begins the next one. */
export const withSuccess = (
  kept: readonly FailedAttempt[],
  success: Pick<FailedAttempt, 'generation' | 'attempt' | 'at'>,
): readonly FailedAttempt[] => withOneMore(kept, { ...success, isDone: true })

/**
 * Adds the attempts that left nothing. `ended` is how many claims of the present generation have ended, and `isDone` says
 * whether the last of them succeeded.
 */
export function withLost(
  kept: readonly FailedAttempt[],
  { generation, ended, isDone }: { generation: number; ended: number; isDone: boolean },
): readonly FailedAttempt[] {
  // What came before the oldest of a full history was kept once. The first success stays in front of that.
  const isFull = kept.length >= mostAttempts
  const found = isFull && kept[0]?.isDone ? kept.slice(0, 1) : []
  const others = kept.slice(found.length)
  let before = isFull ? others[0] : undefined
  function addLost(at: { readonly generation: number; readonly attempt: number }): void {
    const first = before?.generation === at.generation ? before.attempt : 0
    if (at.attempt > first) {
      found.push({ ...at, lost: at.attempt - first })
    }
  }
  for (const each of others) {
    addLost({ generation: each.generation, attempt: each.attempt - 1 })
    found.push(each)
    before = each
  }
  addLost({ generation, attempt: ended - (isDone ? 1 : 0) })
  return found
}
