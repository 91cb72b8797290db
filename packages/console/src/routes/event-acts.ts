import type { Receiver, SeenEvent } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { runView } from '../views/run-view.js'
import type { BulkAction, DiscardDone, Edited, Replayed, RunView } from '../wire.js'
import { eventOf } from './events.js'
import type { ActCall, Route } from './route.js'

export const eventActs: readonly Route[] = [
  {
    method: 'POST',
    path: '/events/:id/replay',
    action: 'events:replay',
    isOnce: true,
    async run({ receiver, param, body, audit }): Promise<Replayed> {
      const [seen, copies] = [seenOf(body), copiesOf(body)]
      const { id } = await eventOf(receiver, param('id'))
      return asShown(async () => ({ generation: await receiver.replay(id, audit, { seen, copies }) }))
    },
  },
  {
    method: 'POST',
    path: '/events/:id/discard',
    action: 'events:discard',
    isOnce: true,
    async run({ receiver, param, body, audit }): Promise<DiscardDone> {
      const seen = seenOf(body)
      const { id } = await eventOf(receiver, param('id'))
      await receiver.discard(id, audit, { seen })
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
    async run({ receiver, options, param, body: given, audit }): Promise<Edited> {
      const { body } = given
      if (options.mask) {
        throw new Problem('masked_body', 'The copy would contain the mask instead of the masked values.')
      }
      if (typeof body !== 'string') {
        throw new Problem('invalid_request', 'body must be the whole event as text')
      }
      const seen = seenOf(given)
      const event = await eventOf(receiver, param('id'))
      const copies = copiesOf(given) ?? []
      return asShown(async () => ({
        id: await receiver.replayEdited(event.id, { body }, audit, { seen, copies }),
      }))
    },
  },
]

/** Says what may have changed if the event or its copies are not as the page showed them. */
async function asShown<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if ((error as { name?: unknown }).name === 'ConflictError') {
      throw new Problem(
        'event_changed',
        'Since it was shown, the event changed or an edited copy of it was run. Look at it again.',
      )
    }
    throw error
  }
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
async function runForOne(
  { receiver, param, body, audit }: ActCall,
  action: BulkAction,
  otherwise: string,
): Promise<RunView> {
  const seen = seenOf(body)
  const { id } = await eventOf(receiver, param('id'))
  const plan = await receiver.plan({ action, where: { id } })
  // Checked after the plan, because the run skips an event that changed since then.
  const { state, generation } = await eventOf(receiver, id)
  if (state !== seen.state || generation !== seen.generation) {
    throw new Problem('event_changed', 'The event changed since it was shown. Look at it again.')
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
