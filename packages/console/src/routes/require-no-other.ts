import type { Plan } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { underWay } from '../views/under-way.js'
import type { ActCall } from './route.js'

/**
 * Throws a `Problem` that names the operations if there are others than the person was shown. Two that start at the same moment
 * do not see each other. A person who may not read events was shown none, and a caller that sends no ids is not checked.
 */
export async function requireNoOther(
  { receiver, body, may }: ActCall,
  plan: Pick<Plan, 'action' | 'where'>,
  own?: string,
): Promise<void> {
  const { underWay: shown } = body
  if (shown === undefined || !(await may('events:read'))) {
    return
  }
  if (!Array.isArray(shown)) {
    throw new Problem('invalid_request', 'underWay must be the ids of the operations that were shown')
  }
  const now = await underWay(receiver, plan, await may('audits:read'), own)
  const others = now.filter(({ id }) => !shown.includes(id))
  if (others.length > 0) {
    const named = others.map(({ id, action, count }) => `${id} (${action}, ${count})`).join(', ')
    throw new Problem(
      'under_way',
      `Since this was shown, another operation began that may change the same events: ${named}. Look at it, then decide again.`,
      { underWay: now },
    )
  }
}
