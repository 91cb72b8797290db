import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import { fail, inboxOf, kept } from './stored-event.js'

/** What the inbox keeps of the attempts of an event, without the times. */
export async function attemptsOf(store: Store<unknown>, event: EventRef) {
  const { attempts = [] } = await kept(store, event)
  return attempts.map(({ generation, attempt, error, isDone }) => [
    generation,
    attempt,
    isDone ? 'done' : error,
  ])
}

/** One attempt as a queue makes it: the claim fails, and then the queue notes what it does about that. */
export async function tryOnce(store: Store<unknown>, event: EventRef, error: string): Promise<void> {
  await fail(store, event, new Error('as the claim ended'))
  await inboxOf(store).postpone(event.key, 60, error)
}
