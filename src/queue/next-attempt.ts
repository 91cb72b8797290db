import type { Filled } from '../given-options.js'
import { groupId } from '../store/failure-log.js'
import { fingerprintOf } from '../store/fingerprint.js'
import type { StoredEvent } from '../store/inbox.js'
import { defaultRetry, pauseAfter, type Retry } from '../timing/backoff.js'
import { NoHandler } from './no-handler.js'

/** What follows an attempt that failed. */
export interface NextAttempt {
  readonly pauseSeconds: number
  /** How many attempts have failed, and how many there are. */
  readonly failed: number
  readonly attempts: number
}

/**
 * What follows a failure that is not noted yet; `undefined` if no attempt is left.
 *
 * During a deployment an old process may take an event of a new type again and again. That takes nothing from the attempts of
 * the handler. It has the default attempts and pauses, whatever `retry` says, which last for hours. After these the event is dead:
 * if no process handles its type any more, it must not block its resource forever.
 */
export async function nextAttempt(
  { endpoint, type, generation, failures, attempts = [] }: StoredEvent,
  error: unknown,
  retry: Filled<Retry>,
): Promise<NextAttempt | undefined> {
  const group = groupId(endpoint, await fingerprintOf(new NoHandler(type)))
  const unhandled = attempts.filter((each) => each.generation === generation && each.group === group).length
  const [before, rules] =
    error instanceof NoHandler ? [unhandled, defaultRetry] : [failures - unhandled, retry]
  const failed = before + 1
  const { attempts: most } = rules
  return failed < most ? { pauseSeconds: pauseAfter(failed, rules), failed, attempts: most } : undefined
}
