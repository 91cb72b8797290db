import { groupId } from '../store/failure-log.js'
import { fingerprintOf } from '../store/fingerprint.js'
import type { StoredEvent } from '../store/inbox.js'
import { defaultRetry, pauseAfter, type Retry } from '../timing/backoff.js'
import { NoHandler } from './no-handler.js'

/**
 * The pause after a failure that is not noted yet, in seconds; `undefined` if no attempt is left.
 *
 * During a deployment an old process may take an event of a new type again and again. That takes nothing from the attempts of
 * the handler. It has the default attempts and pauses, whatever `retry` says, which last for hours. After these the event is dead:
 * if no process handles its type any more, it must not block its resource forever.
 */
export async function pauseBeforeNext(
  { endpoint, type, generation, failures, attempts = [] }: StoredEvent,
  error: unknown,
  retry: Required<Retry>,
): Promise<number | undefined> {
  const group = groupId(endpoint, await fingerprintOf(new NoHandler(type)))
  const unhandled = attempts.filter((each) => each.generation === generation && each.group === group).length
  const [before, rules] =
    error instanceof NoHandler ? [unhandled, defaultRetry] : [failures - unhandled, retry]
  const failed = before + 1
  return failed < rules.attempts ? pauseAfter(failed, rules) : undefined
}
