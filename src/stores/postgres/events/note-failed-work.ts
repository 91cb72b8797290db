import type { EventRef } from '../../../store/event-ref.js'
import { fingerprintOf } from '../../../store/fingerprint.js'
import { reasonOf } from '../../../store/reason.js'
import { toText } from '../connection/text.js'
import { type Database, type Limits, limiting, type Query, type Session } from '../connection/transactions.js'
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
  const values = [toText(event.key), reasonOf(error), event.durations.leaseSeconds, cause.fingerprint]
  await note(query, schema, event, failClaimed, values, cause)
}

/** Keeps an event whose transaction was rolled back, and why. If that fails too, only the note is lost. */
export async function noteFailure<Tx>(
  database: Database<Tx>,
  statements: Statements,
  event: EventRef,
  error: unknown,
): Promise<void> {
  const cause = await fingerprintOf(error)
  const values = [...valuesOf(event), event.durations.leaseSeconds, reasonOf(error), cause.fingerprint]
  const { noteFailure: text, schema } = statements
  await database
    .transaction(briefly, ({ query }) => note(query, schema, event, text, values, cause))
    .catch(() => {})
}

async function note(
  query: Query,
  schema: string,
  { key }: EventRef,
  text: string,
  values: readonly unknown[],
  cause: Awaited<ReturnType<typeof fingerprintOf>>,
): Promise<void> {
  const [failed] = await query(text, values)
  if (failed) {
    await joinGroup(query, schema, toText(key), failed, cause)
  }
}
