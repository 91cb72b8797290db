import type { FailedAttempt } from 'webhook-inbox'
import type { AttemptRow } from '../wire.js'
import { type Hidden, withoutHidden } from './hidden-values.js'

/** A failed attempt, without what the mask hides of its error. */
export const attemptRow = ({ error, ...attempt }: FailedAttempt, hidden: Hidden): AttemptRow => ({
  ...attempt,
  ...(error !== undefined && { error: withoutHidden(error, hidden) }),
})
