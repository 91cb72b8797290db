import type { FailedAttempt, StoredEvent } from '../store/inbox.js'

export const isOpen = (stored: StoredEvent | undefined): stored is StoredEvent =>
  stored?.state === 'accepted' || stored?.state === 'failed'

/** Whether it waits for its next attempt. The clock of this process may be wrong, so the store says. */
export const isPaused = ({ isBeforeRetry = false }: StoredEvent) => isBeforeRetry

/** How long it waits for its next attempt, in seconds; 0 if it does not wait. A store may not say how long. */
export const pauseLeft = (event: StoredEvent) => (isPaused(event) ? (event.retryInSeconds ?? 1) : 0)

/**
 * The failure of the last attempt, if its worker has not noted it yet. In the transaction that ends the claim, the store
 * notes the failure and sets `retryAt` to the time when the lease would have ended. A moment later the worker counts it and sets
 * the pause. A second job, which a crash can leave, must not run the event in between. If the worker has died, the next one counts
 * the failure.
 */
export function unnotedFailure(event: StoredEvent): FailedAttempt | undefined {
  const { state, generation, attempt, attempts = [] } = event
  // A handler that fails after its time limit can add a second failure when the pause is already noted.
  const last = attempts.filter((each) => each.generation === generation && each.attempt === attempt)
  const isNoted = last.some(({ retryAt }) => retryAt !== undefined)
  return state === 'failed' && !isNoted ? last.findLast(({ lost }) => lost === undefined) : undefined
}
