import type { EventRef } from '../../../store/event-ref.js'
import type { OnceOutcome, WorkContext } from '../../../store/store.js'
import { toText } from '../connection/text.js'
import {
  type Database,
  type First,
  type Found,
  Lapsed,
  ms,
  type Query,
  type Session,
} from '../connection/transactions.js'
import { contentOf, limitsOf, valuesOf } from './event-values.js'
import { outcomeOfFailed, type Reached } from './failed-transaction.js'
import { failWithin } from './note-failed-work.js'
import type { Statements } from './statements.js'
import { busy, outcomeOf } from './unclaimed.js'

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
  let reached: Reached = { step: 'claim' }

  async function transact(session: Session<Tx>, [claimed]: Found): Promise<OnceOutcome<T> | Failed> {
    const claim: Claim = claimed
      ? {
          state: 'claimed',
          attempt: Number(claimed[0]),
          claimedAt: String(claimed[1]),
          generation: String(claimed[2]),
        }
      : await claimOther(session.query, statements, event)
    if (claim.state !== 'claimed') {
      return claim
    }
    const { attempt, claimedAt, generation } = claim
    const run = { attempt, claimedAt, generation, openedAt: session.openedAt }
    // The process may have been stopped while it waited for the claim. The server may have ended the session by now.
    const { idleSeconds } = limitsOf(event.durations)
    if (performance.now() - session.openedAt >= idleSeconds * 1000) {
      reached = { step: 'late claim' }
      throw new Lapsed('the claim came too late')
    }
    try {
      const startedAt = performance.now()
      const value = await work(contextOf(session, attempt))
      reached = { step: 'work done', run }
      if (performance.now() - startedAt > shortWork) {
        // If it fails, the transaction is lost, and COMMIT says so.
        await session.query(statements.doneNow, [toText(event.key)]).catch(() => {})
      }
      return { state: 'done', value, attempt }
    } catch (error) {
      reached = { step: 'work failed', run, error }
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
    .catch((error) => outcomeOfFailed(database, statements, event, reached, error))
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
  | {
      readonly state: 'claimed'
      readonly attempt: number
      readonly claimedAt: string
      readonly generation: string
    }
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
    const { attempt, claimed_at: claimedAt, generation } = found
    return { state: 'claimed', attempt, claimedAt, generation }
  }
  return outcomeOf(found, event) ?? busy
}

/** How long the event is kept, in seconds, and the lock_timeout of its handler. */
const claimTerms = ({ durations }: EventRef) => [
  Math.min(durations.retentionSeconds, longestRetention),
  String(ms(limitsOf(durations).idleSeconds)),
]

/** A century: longer than any retention, and within what a timestamp can represent. */
const longestRetention = 3_155_760_000
