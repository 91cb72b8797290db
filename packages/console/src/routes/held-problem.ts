import type { Receiver } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { withinSeconds } from '../within-seconds.js'

/** Says that a handler holds the event, and for how long if that is known. `undefined` if something else holds it. */
export async function heldProblem(
  receiver: Pick<Receiver, 'explain'>,
  id: string,
): Promise<Problem | undefined> {
  // A lock on the whole store also delays this.
  const found = await withinSeconds(1, receiver.explain(id)).catch(() => undefined)
  if (found?.reason === 'dead' && found.until) {
    const seconds = Math.max(1, Math.ceil((Date.parse(found.until) - Date.now()) / 1000))
    return new Problem(
      'busy',
      `A handler that timed out still holds this event, for ${seconds} s. Try again after that.`,
    )
  }
  return found?.reason === 'running'
    ? new Problem('busy', 'A handler runs this event now. Look at it again when that has ended.')
    : undefined
}
