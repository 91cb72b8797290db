import type { EventRef } from '../../../store/event-ref.js'
import { isUncounted } from '../../../store/failed-attempt.js'
import { fingerprintOf } from '../../../store/fingerprint.js'
import { reasonOf } from '../../../store/reason.js'
import { isPassing } from '../connection/postgres-fault.js'
import { toText } from '../connection/text.js'
import {
  type Database,
  Lapsed,
  type Limits,
  limiting,
  type Query,
  type Session,
} from '../connection/transactions.js'
import { valuesOf } from './event-values.js'
import { joinGroup } from './note-group.js'
import type { Statements } from './statements.js'

/** A concurrent delivery that has claimed the event since notes its own outcome, so this does not wait for it. */
const briefly: Limits = { lockSeconds: 0.25, idleSeconds: 5 }

/**
 * Undoes what the work has written, and notes why it failed, in the transaction of its claim. So the event has its next time
 * when other workers can see it again. Rejects if that is not possible. Then the transaction must be rolled back.
 */
export async function failWithin<Tx>(
  { query }: Session<Tx>,
  undo: () => Promise<void>,
  { failClaimed, schema }: Statements,
  event: EventRef,
  error: unknown,
): Promise<void> {
  const cause = await fingerprintOf(error)
  await undo()
  await query(limiting(briefly), [])
  const failure = [reasonOf(error), event.durations.leaseSeconds, cause.fingerprint, moreOf(error)]
  await note(query, schema, event, failClaimed, [toText(event.key), ...failure], cause)
}

interface Lost {
  /** The attempt that the claim began, and the generation of the event. */
  readonly attempt: number
  readonly generation: string
  /** When the claim began, as the database gave it. */
  readonly claimedAt: string
  /** Whether the connection was lost. Then the database may be down, and the event may be done. */
  readonly isDisconnected?: boolean
  /** Whether a COMMIT of the store may have taken effect. Then an event that is done stays done. */
  readonly mayBeDone?: boolean
}

/**
 * Keeps an event whose transaction failed, and why. If the work has committed the transaction, the event is not done any more.
 * Resolves to whether the failure is noted. If not, another delivery has the event, or the database is down.
 *
 * After a lost connection this tells an outage from work that ends its own connection, which counts. A query that crashes its
 * backend restarts all sessions of the server, so this tries again for some seconds. A server that was stopped and started does
 * not count: `pg_postmaster_start_time` tells.
 */
export async function noteFailure<Tx>(
  database: Database<Tx>,
  statements: Statements,
  event: EventRef,
  error: unknown,
  { attempt, generation, claimedAt, isDisconnected = false, mayBeDone = false }: Lost,
): Promise<boolean> {
  const cause = await fingerprintOf(error)
  const failure = [event.durations.leaseSeconds, reasonOf(error), cause.fingerprint]
  const claim = [isDisconnected || mayBeDone ? null : claimedAt, isDisconnected ? claimedAt : null]
  const values = [...valuesOf(event), ...failure, ...claim, attempt, generation, moreOf(error)]
  const { noteFailure: text, isNoted, schema } = statements
  const giveUpAt = performance.now() + (isDisconnected ? recoverySeconds * 1000 : 0)
  for (let pause = 0.1; ; pause *= 2) {
    try {
      return await database.transaction(briefly, async ({ query }) => {
        if (await note(query, schema, event, text, values, cause)) {
          return true
        }
        // The transaction of the claim may have noted it, and only the reply to its COMMIT was lost.
        const rows = await query(isNoted, [toText(event.key), attempt, generation])
        return rows.length > 0
      })
    } catch (thrown) {
      if (isPassing(thrown) || performance.now() + pause * 1000 > giveUpAt) {
        return false
      }
    }
    await sleep(pause)
  }
}

/** How long to wait for a server that recovers from a crash of one of its backends. It needs about a second. */
const recoverySeconds = 4

const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))

/** What else is kept of a failure. If a process was stopped for longer than its claim, that is not the fault of its handler. */
const moreOf = (error: unknown) =>
  JSON.stringify(isUncounted(error) || error instanceof Lapsed ? { isUncounted: true } : {})

async function note(
  query: Query,
  schema: string,
  { key }: EventRef,
  text: string,
  values: readonly unknown[],
  cause: Awaited<ReturnType<typeof fingerprintOf>>,
): Promise<boolean> {
  const [failed] = await query(text, values)
  if (failed) {
    await joinGroup(query, schema, toText(key), failed, cause)
  }
  return failed !== undefined
}
