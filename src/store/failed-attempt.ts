/** An attempt of an event that did not succeed, or several in a row of which nothing else is known. */
export interface FailedAttempt {
  /** The generation of the event at that time. The numbers of the attempts begin again with each replay. */
  readonly generation: number
  /**
   * Its number, which counts the claims. 0 if the event failed before its first claim. If a number occurs twice, the second
   * failure happened before the next claim.
   */
  readonly attempt: number
  /** When it failed: RFC 3339, by the database’s clock. Absent where `lost` is given. */
  readonly at?: string
  /** Why it failed, as `lastError`. */
  readonly error?: string
  /** The group of failures that it joined. */
  readonly group?: string
  /** When the queue planned the next attempt. Absent if it planned none. */
  readonly retryAt?: string
  /**
   * The number of attempts, up to this one, of which nothing else is known: the process ended, lost its claim, or has an earlier
   * version of this package.
   */
  readonly lost?: number
}

/** How many failed attempts of one event an inbox keeps: the newest. */
export const mostAttempts = 20

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
  return [...(isNoted ? kept.slice(0, -1) : kept), next].slice(-mostAttempts)
}

/**
 * Adds the attempts that left nothing. `ended` is how many claims of the present generation have ended, and `isDone` says
 * whether the last of them succeeded.
 */
export function withLost(
  kept: readonly FailedAttempt[],
  { generation, ended, isDone }: { generation: number; ended: number; isDone: boolean },
): readonly FailedAttempt[] {
  // What came before the oldest of a full history was kept once.
  let before = kept.length < mostAttempts ? undefined : kept[0]
  const found: FailedAttempt[] = []
  function addLost(at: { readonly generation: number; readonly attempt: number }): void {
    const first = before?.generation === at.generation ? before.attempt : 0
    if (at.attempt > first) {
      found.push({ ...at, lost: at.attempt - first })
    }
  }
  for (const each of kept) {
    addLost({ generation: each.generation, attempt: each.attempt - 1 })
    found.push(each)
    before = each
  }
  addLost({ generation, attempt: ended - (isDone ? 1 : 0) })
  return found
}
