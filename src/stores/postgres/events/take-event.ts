import type { Durations, EventRef } from '../../../store/event-ref.js'
import type { StoredEvent } from '../../../store/inbox-event.js'
import type { TakenEvent } from '../../../store/taken-event.js'
import { isPassing, postgresFault } from '../connection/postgres-fault.js'
import { toText } from '../connection/text.js'
import type { Begin, Begun, First } from '../connection/transactions.js'
import { claimTerms, limitsOfKept } from './claim-terms.js'
import { columnsBesideClaim, toStoredEvent } from './event-columns.js'
import type { Statements } from './statements.js'

/** The open transaction of each claim that no `once` has yet. */
const open = new WeakMap<object, { readonly event: StoredEvent; readonly begun: Begun<unknown> }>()

/** Claims an event as the transaction of `once` does, and reads it with the same statement. */
export async function takeEvent<Tx>(
  begin: Begin<Tx>,
  sql: Statements,
  { key, resource }: Pick<EventRef, 'key' | 'resource'>,
  durations: Durations,
): Promise<TakenEvent | undefined> {
  const text = resource === undefined ? sql.takeAlone : sql.takeKept
  const values = [toText(key), ...claimTerms(durations)]
  const first: First = { text, values, savepoint: 'after', planSeconds: 1 }
  const begun = await begin(limitsOfKept(durations), first).catch((error) => {
    if (isPassing(error)) {
      return undefined
    }
    throw postgresFault('claim an event', error)
  })
  const [row] = begun?.found ?? []
  if (!begun || !row) {
    await begun?.rollback()
    return undefined
  }
  const event = await readOrRollBack(row, begun as Begun<unknown>)
  const claim = {
    async release() {
      await transactionOf(claim, event)?.rollback()
    },
  }
  open.set(claim, { event, begun: begun as Begun<unknown> })
  return { event, claim }
}

/** The transaction that has claimed this event. Returns it once: whoever gets it ends it. */
export function transactionOf<Tx>(
  claim: object | undefined,
  { key, contentHash }: Pick<EventRef, 'key' | 'contentHash'>,
): Begun<Tx> | undefined {
  const taken = claim && open.get(claim)
  if (!taken || taken.event.key !== key || taken.event.contentHash !== contentHash) {
    return undefined
  }
  open.delete(claim)
  return taken.begun as Begun<Tx>
}

/** A row that somebody damaged by hand cannot be read. Its claim must not keep a connection until it ends. */
async function readOrRollBack(row: Row, begun: Begun<unknown>): Promise<StoredEvent> {
  try {
    return eventOf(row)
  } catch (error) {
    await begun.rollback()
    throw error
  }
}

type Row = readonly (string | null)[]

/** The event before its claim. The row begins with what every claim returns. */
function eventOf(values: Row): StoredEvent {
  const [attempt, , generation] = values
  const columns = values.slice(-columnsBesideClaim.length)
  const row: Record<string, unknown> = {
    state: 'accepted',
    attempt: Number(attempt) - 1,
    generation: Number(generation),
    last_error: null,
    failure_group: null,
  }
  for (const [at, [name]] of columnsBesideClaim.entries()) {
    row[name] = columns[at]
  }
  row.body = Buffer.from(row.body as string, 'hex')
  row.failures = Number(row.failures)
  return toStoredEvent(row)
}
