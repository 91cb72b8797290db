import type { Receiver, SeenEvent } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { auditsOfEvent } from '../views/audits-of-event.js'
import { runView } from '../views/run-view.js'
import type { BulkAction, DiscardDone, Edited, Replayed, RunView } from '../wire.js'
import { whoDid } from './as-seen.js'
import { eventOf } from './events.js'
import { eventToChange } from './gone.js'
import type { ActCall, Route } from './route.js'

export const eventActs: readonly Route[] = [
  {
    method: 'POST',
    path: '/events/:id/replay',
    action: 'events:replay',
    isOnce: true,
    async run(call): Promise<Replayed> {
      const { receiver, body, audit } = call
      const [seen, copies] = [seenOf(body), copiesOf(body)]
      const { id } = await eventToChange(call)
      return asShown(call, id, changedOrCopied, async () => ({
        generation: await receiver.replay(id, audit, { seen, copies }),
      }))
    },
  },
  {
    method: 'POST',
    path: '/events/:id/discard',
    action: 'events:discard',
    isOnce: true,
    async run(call): Promise<DiscardDone> {
      const { receiver, body, audit } = call
      const seen = seenOf(body)
      const { id } = await eventToChange(call)
      await asShown(call, id, changed, () => receiver.discard(id, audit, { seen }))
      return undoOf(receiver, id, 'event')
    },
  },
  {
    method: 'POST',
    path: '/events/:id/retry-now',
    action: 'events:retry',
    run: (call) =>
      runForOne(call, 'retryNow', 'Only a failed event that waits for its next attempt can be retried now.'),
  },
  {
    method: 'POST',
    path: '/events/:id/give-up',
    action: 'events:give-up',
    run: (call) => runForOne(call, 'giveUp', 'Only an event that still runs or waits can be given up.'),
  },
  {
    method: 'POST',
    path: '/events/:id/replay-edited',
    action: 'events:edit',
    isOnce: true,
    async run(call): Promise<Edited> {
      const { receiver, options, body: given, audit } = call
      const { body } = given
      if (options.mask) {
        throw new Problem('masked_body', 'The copy would contain the mask instead of the masked values.')
      }
      if (typeof body !== 'string') {
        throw new Problem('invalid_request', 'body must be the whole event as text')
      }
      const seen = seenOf(given)
      const event = await eventToChange(call)
      const copies = copiesOf(given) ?? []
      return asShown(call, event.id, changedOrCopied, async () => ({
        id: await receiver.replayEdited(event.id, { body }, audit, { seen, copies }),
      }))
    },
  },
]

const changed = 'The event changed since it was shown.'
const changedOrCopied = 'Since it was shown, the event changed or an edited copy of it was run.'

/** Says what is so now if the event or its copies are not as the page showed them. */
async function asShown<T>(call: ActCall, id: string, fact: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    // By name and not by class, because the program has its own copy of the toolkit.
    throw (error as { name?: unknown }).name === 'ConflictError'
      ? await changedProblem(call, id, fact)
      : error
  }
}

/** Who changed the event or copied it last, for those who may read that. */
async function changedProblem({ receiver, may }: ActCall, id: string, fact: string): Promise<Problem> {
  const event = await receiver.inspect(id)
  const now = event ? `It is ${event.state} now.` : 'It is not kept any more.'
  const [last] = (await may('audits:read')) ? await auditsOfEvent(receiver, id) : []
  return new Problem('event_changed', `${fact} ${now} ${last ? whoDid(last) : 'Look at it again.'}`)
}

/** The copies that the page showed. A copy does not change its event, so `seen` does not detect that of another operator. */
function copiesOf({ copies }: ActCall['body']): readonly string[] | undefined {
  if (copies !== undefined && !Array.isArray(copies)) {
    throw new Problem('invalid_request', 'Send the ids of the copies that were shown, as copies.')
  }
  return copies
}

/** Until when the discard that was just made can be undone. */
export async function undoOf(
  receiver: Receiver,
  idOrKey: string,
  kind: 'event' | 'delivery',
): Promise<DiscardDone> {
  const [found] = await receiver.undoable(idOrKey, { kind, limit: 1 })
  return found ? { undoUntil: found.undoUntil } : {}
}

/** How long a request waits for the end of its run. */
const patienceMilliseconds = 2000

/** Starts a bulk run for one event. A process that runs events applies it. */
async function runForOne(call: ActCall, action: BulkAction, otherwise: string): Promise<RunView> {
  const { receiver, body, audit } = call
  const seen = seenOf(body)
  const { id } = await eventToChange(call)
  const plan = await receiver.plan({ action, where: { id } })
  // Checked after the plan, because the run skips an event that changed since then.
  const { state, generation } = await eventOf(receiver, id)
  if (state !== seen.state || generation !== seen.generation) {
    throw await changedProblem(call, id, changed)
  }
  if (plan.count === 0) {
    throw new Problem('invalid_request', otherwise)
  }
  const run = await receiver.run(plan, { ...audit, canary: 0 })
  const start = performance.now()
  for (;;) {
    const progress = await run.progress()
    if (progress.endedAt !== undefined || performance.now() - start > patienceMilliseconds) {
      return runView(progress)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The event as the page showed it. Otherwise a second click, or a second operator, would run it twice. */
function seenOf({ seen }: ActCall['body']): SeenEvent {
  const { state, generation } = Object(seen)
  if (typeof state !== 'string' || !Number.isSafeInteger(generation)) {
    throw new Problem('invalid_request', 'Send the state and the generation that were shown, as seen.')
  }
  return { state: state as SeenEvent['state'], generation }
}
