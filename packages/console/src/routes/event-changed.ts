import { Problem } from '../problem.js'
import { auditsOfEvent } from '../views/audits-of-event.js'
import { whoDid } from './as-seen.js'
import type { ActCall } from './route.js'

export const changed = 'The event changed since it was shown.'

/** Who changed the event or copied it last, for those who may read that. */
export async function changedProblem({ receiver, may }: ActCall, id: string, fact: string): Promise<Problem> {
  const event = await receiver.inspect(id)
  const now = event ? `It is ${event.state} now.` : 'It is not kept any more.'
  const [last] = (await may('audits:read')) ? await auditsOfEvent(receiver, id) : []
  return new Problem('event_changed', `${fact} ${now} ${last ? whoDid(last) : 'Look at it again.'}`)
}
