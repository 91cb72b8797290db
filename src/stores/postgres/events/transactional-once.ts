import type { EventRef } from '../../../store/event-ref.js'
import type { OnceOutcome, WorkContext } from '../../../store/store.js'
import { toText } from '../connection/text.js'
import {
  type Database,
  type First,
  type Found,
  Lapsed,
  type Query,
  type Session,
} from '../connection/transactions.js'
import { claimTerms, limitsOfKept } from './claim-terms.js'
import { contentOf, limitsOf, valuesOf } from './event-values.js'
import { outcomeOfFailed, type Reached } from './failed-transaction.js'
import { failWithin } from './note-failed-work.js'
import type { Statements } from './statements.js'
import { transactionOf } from './take-event.js'
import { busy, outcomeOf } from './unclaimed.js'

/**
 * Milliseconds. After work that ended later than this after its claim, one more statement corrects the time when the event was done.
 * Otherwise it is the time of the claim.
 */
const shortWork = 20

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
      const value = await work(contextOf(session, attempt))
      reached = { step: 'work done', run }
      if (performance.now() - session.foundAt > shortWork) {
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

  const { durations, isKept } = event
  const limits = isKept ? limitsOfKept(durations) : limitsOf(durations)
  const claim = isKept ? claimKept(statements, event) : claimUnseen(statements, event)
  const begun = transactionOf<Tx>(event.claim, event)
  const outcome = await (begun?.run(transact) ?? database.transaction(limits, transact, claim)).catch(
    (error) => outcomeOfFailed(database, statements, event, reached, error),
  )
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
  const values = [...valuesOf(event), ...claimTerms(event.durations)]
  return { text: sql.claimUnseen, values, savepoint: 'before', planSeconds: Infinity }
}

/** Claims an event of the inbox without its body. */
function claimKept(sql: Statements, event: EventRef): First {
  const text = event.resource === undefined ? sql.claimAlone : sql.claimKept
  const { key, contentHash, seen } = event
  const found = [seen?.attempt ?? null, seen?.generation ?? null, seen?.failures ?? null]
  const values = [toText(key), toText(contentHash), ...claimTerms(event.durations), ...found]
  return { text, values, savepoint: 'after', planSeconds: 1 }
}

/** Claims an event that the first statement did not claim, or says why it cannot be claimed. */
async function claimOther(query: Query, sql: Statements, event: EventRef): Promise<Claim> {
  if (event.isKept) {
    const [found] = await query(sql.find, [toText(event.key)])
    return outcomeOf(found, event) ?? busy
  }
  const [found] = await query(sql.claimKnown, [...contentOf(event), ...claimTerms(event.durations)])
  if (found?.state === 'claimed') {
    const { attempt, claimed_at: claimedAt, generation } = found
    return { state: 'claimed', attempt, claimedAt, generation }
  }
  return outcomeOf(found, event) ?? busy
}
