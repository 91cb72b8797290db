import { setImmediate } from 'node:timers/promises'
import { codes, type Receiver, type StoredEvent } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { EventRow, GivenUp } from '../wire.js'

/** A replay or a give-up is looked for among so many of the newest audits of the event. */
const mostAudits = 20

/**
 * When an operator gave a dead event up, and who if `isNamed`. Its last error is the reason. `undefined` if it is dead because it
 * failed.
 */
export async function givenUpOf(
  receiver: Receiver,
  { id, receivedAt }: Pick<StoredEvent, 'id' | 'receivedAt'>,
  isNamed: boolean,
): Promise<GivenUp | undefined> {
  const audits = await ifSupported(() => receiver.audits({ eventId: id, limit: mostAudits }))
  const last = audits?.find(({ action }) => action === 'giveUp' || action === 'replay')
  // An event of the same id may have been given up and discarded before this one was delivered.
  return last?.action === 'giveUp' && Date.parse(last.at) >= Date.parse(receivedAt)
    ? { at: last.at, ...(isNamed && { actor: last.actor }) }
    : undefined
}

/** The error of the program begins with a code. The reason of a person is looked up, because its words may be any. */
export const mayBeGivenUp = ({ state, lastError = '' }: Pick<EventRow, 'state' | 'lastError'>): boolean =>
  state === 'dead' && !Object.hasOwn(codes, lastError.split(': ', 1)[0] ?? '')

/** The dead events of a cause that are looked at. */
const mostOfCause = 100

/** How many of the newest dead events of a cause an operator gave up. */
export async function givenUpOfCause(receiver: Receiver, group: string): Promise<number> {
  const dead = await receiver.list({
    group,
    state: 'dead',
    limit: mostOfCause,
    order: 'newest',
    bodies: false,
  })
  return (await givenUpOfMany(receiver, dead.filter(mayBeGivenUp))).count
}

/** The audits of so many events of a preview are read: one search of an index for each. */
const mostLookedAt = 200

/** How many of these dead events an operator gave up. */
export async function givenUpOfMany(
  receiver: Receiver,
  events: readonly StoredEvent[],
): Promise<{ readonly count: number; readonly lookedAt: number }> {
  const lookedAt = events.slice(0, mostLookedAt)
  let count = 0
  for (const event of lookedAt) {
    count += (await givenUpOf(receiver, event, false)) ? 1 : 0
    // The process also serves deliveries.
    await setImmediate()
  }
  return { count, lookedAt: lookedAt.length }
}
