import type { Plan, Receiver, StoredEvent } from 'webhook-inbox'
import { statesOf } from './bulk-actions.js'
import { givenUpOfMany } from './views/given-up.js'
import { laterDoneOfMany } from './views/later-done.js'
import { laterWordsOfMany } from './views/later-words.js'
import { oldestOf } from './views/oldest-of.js'
import type { LaterDone } from './wire.js'

export interface ReplayNotes {
  /** Of how many events a later event of the same resource is done. */
  readonly laterDone: LaterDone
  /** What a person must know before the replay, as sentences. */
  readonly notes: readonly string[]
}

/** The number of oldest events of a replay that are compared with done events. */
const mostCompared = 1000

/**
 * What a person must know of the events that a replay takes: the conditions of its plan. Leaves out those for which `isLeft`
 * returns false.
 */
export async function replayNotes(
  receiver: Receiver,
  { key: _, ...where }: Plan['where'],
  isLeft: (event: StoredEvent) => boolean = () => true,
): Promise<ReplayNotes> {
  const [state] = statesOf('replay', where.state)
  const oldest = await oldestOf(receiver, { ...where, state }, mostCompared + 1)
  const events = oldest.slice(0, mostCompared).filter(isLeft)
  const laterDone = await laterDoneOfMany(receiver, events, oldest.length > mostCompared)
  const givenUp = state === 'dead' && (await givenUpOfMany(receiver, events))
  const notes = [laterWordsOfMany(laterDone), givenUp && givenUpWords(givenUp, events.length)]
  return { laterDone, notes: notes.filter((each): each is string => Boolean(each)) }
}

/** A person gave them up on purpose, but they are dead as the others are. */
function givenUpWords({ count, lookedAt }: { count: number; lookedAt: number }, all: number): string | false {
  const of = lookedAt < all ? `the oldest ${lookedAt} of these` : 'these'
  return (
    count > 0 &&
    `Of ${of} events, a person gave up ${count}. ${count === 1 ? 'It runs' : 'They run'} again too.`
  )
}
