import type { EventRow } from '../../src/wire.js'
import { type Holds, holdsOf, isWhole } from './holds.js'

const byCircuit = 'held by the open circuit'
const byPause = 'held by a pause'

/** What holds this event back, if anything does. */
export function heldBy({ type, resource }: Pick<EventRow, 'type' | 'resource'>, holds: Holds) {
  const { pauses, circuits } = holdsOf(holds, { types: [type], resource })
  return pauses.length > 0 ? byPause : circuits.length > 0 ? byCircuit : undefined
}

const reasons: Readonly<Record<string, string>> = {
  circuit_open: byCircuit,
  paused: byPause,
  rate_limited: 'held by a limit',
  waits_for_earlier: 'held by an earlier event of its resource',
  no_worker: 'no process runs events',
  stalled: 'its process does not report',
}

/** As {@link heldBy}, from the reason that the receiver gives. */
export const heldFor = (reason: string | undefined): string | undefined => reasons[reason ?? '']

/** When an event is due. Nothing says that it ran at a time that has passed. */
export function dueWords(time: string, isPast: boolean, held?: string): string {
  const isNow = time === 'now'
  const words = `${isPast && !isNow ? 'was due' : held || isPast ? 'due' : 'retry'} ${time}`
  return held ? `${words}, ${held}` : words
}

/** What happens to failed events. Which of them are held is not counted. `isWorked`: whether a process runs events. */
export function retriedWords({ circuits, pauses }: Holds, isWorked = true): string {
  if (!isWorked) {
    return 'not retried while no process runs'
  }
  if (pauses.some(isWhole)) {
    return byPause
  }
  return circuits.length + pauses.length > 0 ? 'retried unless held' : 'retried automatically'
}
