import type { FailedAttempt, StoredEvent } from 'webhook-inbox'
import type { AttemptRow } from '../wire.js'
import { errorClass } from './error-class.js'
import { type Hidden, withoutHidden } from './hidden-values.js'

/**
 * The failed attempts of an event, without what the mask hides of their errors. Before a queue runs an event, its sender can deliver
 * other content under the same id, and `hidden` has only the values of the stored content. So with a mask an error that may be of
 * earlier content is shown without its message.
 */
export function attemptRows(
  { attempts = [], lastError }: StoredEvent,
  hidden: Hidden,
  isMasked: boolean,
): readonly AttemptRow[] {
  // A queue runs only the stored content, and so does every replay.
  const first = attempts.findIndex(({ retryAt, generation }) => retryAt !== undefined || generation > 0)
  const isOfStored = (error: string, index: number) =>
    !isMasked || error === lastError || (first >= 0 && index >= first)
  return attempts.map(({ error, ...attempt }: FailedAttempt, index) => ({
    ...attempt,
    ...(error !== undefined && {
      error: isOfStored(error, index) ? withoutHidden(error, hidden) : errorClass(error),
    }),
  }))
}
