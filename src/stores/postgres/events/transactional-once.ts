import { HandlerFailure } from '../../../errors.js'
import type { EventRef } from '../../../store/event-ref.js'
import type { OnceOutcome, WorkContext } from '../../../store/store.js'
import { isPassing, isRefusedCommit, postgresFault } from '../connection/postgres-fault.js'
import { fromText, toText } from '../connection/text.js'
import {
  type Database,
  Disconnected,
  type First,
  type Found,
  Lapsed,
  ms,
  type Query,
  type Row,
  type Session,
} from '../connection/transactions.js'
import { contentOf, limitsOf, valuesOf } from './event-values.js'
import { failWithin, noteFailure } from './note-failed-work.js'
import type { Statements } from './statements.js'

/**
 * Milliseconds. After work that took longer, one more statement corrects the time when the event was done. Otherwise it is
 * the time when the work began.
 */
const shortWork = 20

/**
 * Seconds. A search holds the rows that it finds for a moment, and a worker waits for that. It does not wait for another worker
 * that runs the event.
 */
const longestSearch = 0.05

type Work<Tx, T> = (context: WorkContext<Tx>) => Promise<T>

/**
 * Claims the event, runs the work and commits both in one transaction. The claim is a lock on the event’s row, and ends with
 * the transaction.
 */
export async function runOnce<Tx, T>(
  database: Database<Tx>,
  statements: Statements,
  event: EventRef,
  work: Work<Tx, T>,
): Promise<OnceOutcome<T>> {
  let ended: Ended = 'claim'
  let run: Run | undefined

  async function transact(session: Session<Tx>, [claimed]: Found): Promise<OnceOutcome<T> | Failed> {
    const claim: Claim = claimed
      ? { state: 'claimed', attempt: Number(claimed[0]), claimedAt: String(claimed[1]) }
      : await claimOther(session.query, statements, event)
    if (claim.state !== 'claimed') {
      return claim
    }
    const { attempt, claimedAt } = claim
    run = { claimedAt, openedAt: session.openedAt }
    // The process may have been stopped while it waited for the claim. The server may have ended the session by now.
    const { idleSeconds } = limitsOf(event.durations)
    if (performance.now() - session.openedAt >= idleSeconds * 1000) {
      ended = 'late claim'
      throw new Lapsed('the claim came too late')
    }
    try {
      const startedAt = performance.now()
      const value = await work(contextOf(session, attempt))
      ended = 'work'
      if (performance.now() - startedAt > shortWork) {
        // If it fails, the transaction is lost, and COMMIT says so.
        await session.query(statements.doneNow, [toText(event.key)]).catch(() => {})
      }
      return { state: 'done', value, attempt }
    } catch (error) {
      ended = { error }
      if (!event.isKept || !session.undo) {
        throw error
      }
      await failWithin(session, session.undo, statements, event, error).catch(() => {
        throw error
      })
      return { state: 'failed', error }
    }
  }

  const limits = { ...limitsOf(event.durations), ...(event.isKept && { lockSeconds: longestSearch }) }
  const claim = event.isKept ? claimKept(statements, event) : claimUnseen(statements, event)
  const outcome = await database
    .transaction(limits, transact, claim)
    .catch((error) => outcomeOfFailed(database, statements, event, ended, error, run))
  if (outcome.state === 'failed') {
    throw outcome.error
  }
  return outcome
}

/** The work failed, and its transaction has noted that. */
interface Failed {
  readonly state: 'failed'
  readonly error: unknown
}

/** What a transaction that failed had reached: which step it was in or had ended, or the error that the work threw. */
type Ended = 'claim' | 'late claim' | 'work' | { readonly error: unknown }

/** The claim whose work has run. */
interface Run {
  /** As the database gave it. */
  readonly claimedAt: string
  /** By `performance.now()`. */
  readonly openedAt: number
}

/** The outcome after a transaction that failed with `error`. Rejects with the error of the work, or with a `StoreError`. */
async function outcomeOfFailed(
  database: Database<unknown>,
  statements: Statements,
  event: EventRef,
  ended: Ended,
  error: unknown,
  run: Run | undefined,
): Promise<OnceOutcome<never>> {
  if (ended === 'late claim') {
    return busy
  }
  if (ended === 'claim' || !run) {
    if (isPassing(error)) {
      return outcomeOfConcurrent(database, statements, event)
    }
    throw postgresFault('claim an event', error)
  }
  const { claimedAt, openedAt } = run
  const note = (
    failure: unknown,
    over: { readonly isDisconnected?: boolean; readonly mayBeDone?: boolean } = {},
  ) => noteFailure(database, statements, event, failure, { claimedAt, ...over })
  // The server rejected the writes of the work, or the work has ended its own connection. This counts as a failure of the work.
  const failure = ended === 'work' ? new HandlerFailure(error) : ended.error
  const isLapsed =
    error instanceof Lapsed && performance.now() - openedAt >= limitsOf(event.durations).idleSeconds * 1000
  if (
    error instanceof Disconnected ||
    (ended === 'work' && !(error instanceof Lapsed) && !isRefusedCommit(error))
  ) {
    // In an outage this cannot be noted, and the attempt does not count. The event may also be done: if a COMMIT got no response,
    // it is unknown whether it took effect. The next delivery finds out.
    if (await note(failure, { isDisconnected: true })) {
      throw failure
    }
    throw postgresFault('commit an event', error)
  }
  if (ended === 'work' && error instanceof Lapsed) {
    // The time may have passed after COMMIT was sent. Then it may have taken effect, and the event is done with its work.
    await note(isLapsed ? error : failure, { mayBeDone: true })
    if (isLapsed) {
      return { state: 'lost' }
    }
    throw failure
  }
  await note(failure)
  // Also after a deadlock or a conflict with another transaction. Otherwise an event that always meets one would be retried
  // forever.
  throw failure
}

const busy = { state: 'busy', retryAfterSeconds: 1 } as const

function contextOf<Tx>(session: Session<Tx>, attempt: number): WorkContext<Tx> {
  return {
    tx: session.tx,
    attempt,
    get signal() {
      return session.signal
    },
  }
}

type Claim =
  | { readonly state: 'claimed'; readonly attempt: number; readonly claimedAt: string }
  | OnceOutcome<never>

function claimUnseen(sql: Statements, event: EventRef): First {
  const values = [...valuesOf(event), ...claimTerms(event)]
  return { text: sql.claimUnseen, values, savepoint: 'before', planSeconds: Infinity }
}

/** Claims an event of the inbox without its body. */
function claimKept(sql: Statements, event: EventRef): First {
  const text = event.resource === undefined ? sql.claimAlone : sql.claimKept
  const { key, contentHash, seenAttempt = null } = event
  const values = [toText(key), toText(contentHash), ...claimTerms(event), seenAttempt]
  return { text, values, savepoint: 'after', planSeconds: 1 }
}

/** Claims an event that the first statement did not claim, or says why it cannot be claimed. */
async function claimOther(query: Query, sql: Statements, event: EventRef): Promise<Claim> {
  if (event.isKept) {
    const [found] = await query(sql.find, [toText(event.key)])
    return outcomeOf(found, event) ?? busy
  }
  const [found] = await query(sql.claimKnown, [...contentOf(event), ...claimTerms(event)])
  if (found?.state === 'claimed') {
    return { state: 'claimed', attempt: found.attempt, claimedAt: found.claimed_at }
  }
  return outcomeOf(found, event) ?? busy
}

/** How long the event is kept, in seconds, and the lock_timeout of its handler. */
const claimTerms = ({ durations }: EventRef) => [
  Math.min(durations.retentionSeconds, longestRetention),
  String(ms(limitsOf(durations).idleSeconds)),
]

/** The outcome for an event that cannot be claimed; `undefined` if it is not known yet. */
function outcomeOf(row: Row | undefined, event: EventRef): OnceOutcome<never> | undefined {
  if (!row) {
    return undefined
  }
  if (row.state === 'dead') {
    return { state: 'busy', retryAfterSeconds: event.durations.leaseSeconds }
  }
  const contentHash = fromText(row.content_hash)
  // After an acknowledgment, other content under this id is a different event, even if the first one is not done.
  if (row.state === 'done' || contentHash !== event.contentHash) {
    return { state: 'duplicate', contentHash }
  }
  return undefined
}

/** The outcome of the concurrent delivery that holds the row; `busy` while it runs. */
async function outcomeOfConcurrent<Tx>(database: Database<Tx>, { find }: Statements, event: EventRef) {
  try {
    const [row] = await database.query(find, [toText(event.key)])
    return row?.state === 'done' || row?.state === 'dead' ? (outcomeOf(row, event) ?? busy) : busy
  } catch {
    return busy
  }
}

/** A century: longer than any retention, and within what a timestamp can represent. */
const longestRetention = 3_155_760_000
