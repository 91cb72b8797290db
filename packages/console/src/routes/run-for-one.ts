import type { Run, SeenEvent } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { runView } from '../views/run-view.js'
import type { RunView } from '../wire.js'
import { changed, changedProblem } from './event-changed.js'
import { eventOf } from './events.js'
import { eventToChange } from './gone.js'
import type { ActCall } from './route.js'

/** Which events each takes, for a person who tries it on another one. */
const takes = {
  retryNow: 'Only a failed event that waits for its next attempt can be retried now.',
  giveUp: 'Only an event that still runs or waits can be given up.',
} as const

/** How long a request waits for the end of its run. */
const patienceMilliseconds = 2000

/**
 * Starts a bulk run for one event. A process that runs events applies it. Throws a `Problem` if the run has ended and changed
 * nothing.
 */
export async function runForOne(
  call: ActCall,
  action: keyof typeof takes,
  seen: SeenEvent,
): Promise<RunView> {
  const { receiver, audit } = call
  const { id } = await eventToChange(call)
  const plan = await receiver.plan({ action, where: { id } })
  // Checked after the plan, because the run skips an event that changed since then.
  const { state, generation } = await eventOf(receiver, id)
  if (state !== seen.state || generation !== seen.generation) {
    throw await changedProblem(call, id, changed, seen)
  }
  if (plan.count === 0) {
    throw new Problem('invalid_request', takes[action])
  }
  const run = await receiver.run(plan, { ...audit, canary: 0 })
  const start = performance.now()
  for (;;) {
    const progress = await run.progress()
    if (progress.endedAt !== undefined && progress.applied === 0) {
      throw await leftAlone(call, id, progress, seen)
    }
    if (progress.endedAt !== undefined || performance.now() - start > patienceMilliseconds) {
      return runView(progress)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Why the run did not change its event, and what to do. */
async function leftAlone(
  call: ActCall,
  id: string,
  { skipped, failed }: Run,
  seen: SeenEvent,
): Promise<Problem> {
  const because = skipped.is_running
    ? 'a handler ran the event, or another change was being made to it. Wait until that has ended, then look at it again.'
    : skipped.is_due
      ? 'the event is due already. It runs as soon as nothing holds it.'
      : failed > 0 && 'the queue rejected the event. The log of the program says why.'
  return because
    ? new Problem('event_changed', `Nothing changed: ${because}`)
    : changedProblem(call, id, changed, seen)
}
