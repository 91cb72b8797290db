import type { SeenEvent, StoredEvent } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { auditsOfEvent } from '../views/audits-of-event.js'
import { whoDid } from './as-seen.js'
import type { ActCall } from './route.js'

export const changed = 'The event changed since it was shown.'

/** What changed of the event, and who changed or copied it last, for those who may read that. */
export async function changedProblem(
  { receiver, may }: ActCall,
  id: string,
  fact: string,
  seen: SeenEvent,
): Promise<Problem> {
  const event = await receiver.inspect(id)
  const now = event ? nowWords(event, seen) : 'It is not kept any more.'
  const [last] = (await may('audits:read')) ? await auditsOfEvent(receiver, id) : []
  return new Problem('event_changed', `${fact} ${now} ${last ? whoDid(last) : 'Look at it again.'}`)
}

/** `It was dead, and is accepted now, after a replay.` */
function nowWords({ state, generation }: StoredEvent, seen: SeenEvent): string {
  const first = state === seen.state ? `It is ${state} now` : `It was ${seen.state}, and is ${state} now`
  return `${first}${generation > seen.generation ? ', after a replay' : ''}.`
}
