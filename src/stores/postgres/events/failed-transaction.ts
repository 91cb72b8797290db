import { HandlerFailure } from '../../../errors.js'
import type { EventRef } from '../../../store/event-ref.js'
import type { OnceOutcome } from '../../../store/store.js'
import { isPassing, isRefusedCommit, postgresFault } from '../connection/postgres-fault.js'
import { toText } from '../connection/text.js'
import { type Database, Disconnected, Lapsed } from '../connection/transactions.js'
import { limitsOf } from './event-values.js'
import { noteFailure } from './note-failed-work.js'
import type { Statements } from './statements.js'
import { busy, outcomeOf } from './unclaimed.js'

/** How far the transaction of an event came. */
export type Reached =
  | { readonly step: 'claim' }
  | { readonly step: 'late claim' }
  | { readonly step: 'work done'; readonly run: Run }
  | { readonly step: 'work failed'; readonly run: Run; readonly error: unknown }

/** A claim whose work has run. */
interface Run {
  readonly attempt: number
  readonly generation: string
  /** As the database gave it. */
  readonly claimedAt: string
  /** By `performance.now()`. */
  readonly openedAt: number
}

/** The outcome after a transaction that failed with `error`. Rejects with the error of the work, or with a `StoreError`. */
export async function outcomeOfFailed(
  database: Database<unknown>,
  statements: Statements,
  event: EventRef,
  reached: Reached,
  error: unknown,
): Promise<OnceOutcome<never>> {
  if (reached.step === 'late claim') {
    return busy
  }
  if (reached.step === 'claim') {
    if (isPassing(error)) {
      return outcomeOfConcurrent(database, statements, event)
    }
    throw postgresFault('claim an event', error)
  }
  const { openedAt, ...claim } = reached.run
  // A commit that fails counts as a failure of the work: the server rejected its writes, or the work ended its own connection.
  const failure = reached.step === 'work done' ? new HandlerFailure(error) : reached.error
  switch (knownOf(reached, error)) {
    case 'not committed':
      // This counts also after a deadlock or a conflict. Otherwise an event that always meets one would be retried forever.
      await noteFailure(database, statements, event, failure, claim)
      throw failure

    case 'late': {
      const isLate = performance.now() - openedAt >= limitsOf(event.durations).idleSeconds * 1000
      const noted = isLate ? error : failure
      await noteFailure(database, statements, event, noted, { ...claim, mayBeDone: true })
      if (isLate) {
        return { state: 'lost' }
      }
      throw failure
    }

    case 'cut off':
      // In an outage this cannot be noted, and the attempt does not count. The next delivery finds out whether the event is done.
      if (await noteFailure(database, statements, event, failure, { ...claim, isDisconnected: true })) {
        throw failure
      }
      throw postgresFault('commit an event', error)
  }
}

/**
 * What is known of a transaction that failed after its claim.
 *
 * - `not committed`: the store has not committed it. The work may have, although it must not. Then its event does not stay done.
 * - `late`: the time of its claim passed. COMMIT may have been sent before and have taken effect: an event that is done stays done.
 * - `cut off`: no response came from the server. COMMIT may have taken effect, or the work may have ended its own connection.
 */
type Known = 'not committed' | 'late' | 'cut off'

function knownOf({ step }: Reached, error: unknown): Known {
  if (error instanceof Disconnected) {
    return 'cut off'
  }
  // If the work failed, the store sent no COMMIT for its writes.
  if (step === 'work failed') {
    return 'not committed'
  }
  if (error instanceof Lapsed) {
    return 'late'
  }
  return isRefusedCommit(error) ? 'not committed' : 'cut off'
}

/** The outcome of the concurrent delivery that holds the row; `busy` while it runs. */
async function outcomeOfConcurrent(database: Database<unknown>, { find }: Statements, event: EventRef) {
  try {
    const [row] = await database.query(find, [toText(event.key)])
    return row?.state === 'done' || row?.state === 'dead' ? (outcomeOf(row, event) ?? busy) : busy
  } catch {
    return busy
  }
}
