import { Problem } from '../problem.js'
import { eventRow } from '../views/event-row.js'
import type { Call } from './route.js'

/**
 * Throws a `Problem` for a resource that a mask hides, and the same one for a resource without events. A resource may be a masked
 * value, and the count of a plan or the effect of a pause would confirm a guess.
 */
export async function requireShown(call: Call, resource: string | undefined): Promise<void> {
  if (resource !== undefined && !(await isShown(call, resource))) {
    throw new Problem(
      'not_found',
      'No event shows this resource. With a mask, the console acts only on a resource that it shows.',
    )
  }
}

/** Whether a mask lets the oldest event of a resource show it. */
async function isShown({ receiver, options }: Call, resource: string): Promise<boolean> {
  if (!options.mask) {
    return true
  }
  const [event] = await receiver.list({ resource, limit: 1 })
  return event !== undefined && eventRow(event, options).resource === resource
}
