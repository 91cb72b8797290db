import type { Receiver, SeenEvent } from 'webhook-inbox'
import { Problem } from '../problem.js'
import type { DiscardDone, Edited, Replayed } from '../wire.js'
import { changed, changedProblem } from './event-changed.js'
import { eventToChange } from './gone.js'
import { heldProblem } from './held-problem.js'
import type { ActCall, Route } from './route.js'
import { runForOne } from './run-for-one.js'

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
      return asShown(call, id, changedOrCopied, seen, async () => ({
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
      await asShown(call, id, changed, seen, () => receiver.discard(id, audit, { seen }))
      return undoOf(receiver, id, 'event')
    },
  },
  {
    method: 'POST',
    path: '/events/:id/retry-now',
    action: 'events:retry',
    run: (call) => runForOne(call, 'retryNow', seenOf(call.body)),
  },
  {
    method: 'POST',
    path: '/events/:id/give-up',
    action: 'events:give-up',
    run: (call) => runForOne(call, 'giveUp', seenOf(call.body)),
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
      return asShown(call, event.id, changedOrCopied, seen, async () => ({
        id: await receiver.replayEdited(event.id, { body }, audit, { seen, copies }),
      }))
    },
  },
]

const changedOrCopied = 'Since it was shown, the event changed or an edited copy of it was run.'

/** Says what is so now if the event or its copies are not as the page showed them. */
async function asShown<T>(
  call: ActCall,
  id: string,
  fact: string,
  seen: SeenEvent,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change()
  } catch (error) {
    // By name and not by class, because the program has its own copy of the toolkit.
    const { name, reason } = error as { name?: unknown; reason?: unknown }
    if (name === 'ConflictError') {
      throw await changedProblem(call, id, fact, seen)
    }
    throw (name === 'StoreError' && reason === 'busy' && (await heldProblem(call.receiver, id))) || error
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

/** The event as the page showed it. Otherwise a second click, or a second operator, would run it twice. */
function seenOf({ seen }: ActCall['body']): SeenEvent {
  const { state, generation } = Object(seen)
  if (typeof state !== 'string' || !Number.isSafeInteger(generation)) {
    throw new Problem('invalid_request', 'Send the state and the generation that were shown, as seen.')
  }
  return { state: state as SeenEvent['state'], generation }
}
