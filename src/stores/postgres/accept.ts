import type { EventRef } from '../../store/event-ref.js'
import type { AcceptOutcome, Inbox } from '../../store/inbox.js'
import { Batches } from './batches.js'
import { commitWithJob, passing } from './commit-with-job.js'
import { type Database, ms } from './database.js'
import { isOfOneRow, isPassing, postgresFault } from './fault.js'
import { contentOf, limitsOf, resourceOf, valuesOf } from './once.js'
import type { Statements } from './statements.js'
import { fromText } from './text.js'

/**
 * For so long after a batch with an event that was known the next ones look before they insert, in milliseconds. Not to
 * look takes an eighth less; but who inserts what is there already begins again, and the server writes an error to its
 * log and leaves dead rows: no more than once in so long for each batch under way.
 */
const carefulFor = 60_000

/**
 * Commits events with their jobs, each in a transaction of its own; those without a job many at once. A batch takes in
 * what is unseen and stands in nobody’s way. Whatever else there may be to say of an event, its own transaction says.
 */
export function postgresAccept<Tx>(database: Database<Tx>, sql: Statements): Inbox<Tx>['accept'] {
  let carefulUntil = 0
  const beCareful = () => {
    carefulUntil = performance.now() + carefulFor
  }
  const batches = new Batches<EventRef>(async (events) => {
    const isCareful = events.length === 1 || performance.now() < carefulUntil
    try {
      const keys = await insert(database, sql, events, isCareful)
      if (keys.size < events.length) beCareful()
      return keys
    } catch (error) {
      // That one was known may be what has failed: some libraries hide the code of an error.
      beCareful()
      throw error
    }
  })

  async function alone(event: EventRef, enqueue?: (tx: Tx) => Promise<void>): Promise<AcceptOutcome> {
    const resource = resourceOf(event)
    const outcome = await commitWithJob(
      database,
      'accept an event',
      limitsOf(event.durations),
      async (session, within, isNew) => {
        if (isNew === 0) {
          const [found] = await session.query(sql.acceptKnown, [...contentOf(event), resource])
          if (!found) return passing
          if (!found.is_new) return { state: 'duplicate', contentHash: fromText(found.content_hash) } as const
        }
        await within(async () => enqueue?.(session.tx))
        return accepted
      },
      { text: sql.acceptUnseen, values: [...valuesOf(event), resource] },
    )
    return outcome === passing ? { state: 'busy', retryAfterSeconds: 1 } : outcome
  }

  return async (event, enqueue) => {
    if (enqueue || !(await batches.add(event))) return alone(event, enqueue)
    return accepted
  }
}

const accepted = { state: 'accepted' } as const

/**
 * Inserts events in one statement, which is one transaction; resolves to the keys of those that were unseen, to none where
 * one of them may be the reason that it failed. Rejects with a `StoreError` where the fault is common to all.
 */
async function insert(
  database: Database<unknown>,
  sql: Statements,
  events: readonly EventRef[],
  isCareful: boolean,
): Promise<ReadonlySet<string>> {
  const isOne = events.length === 1
  const [one] = events as [EventRef]
  const values = (lockSeconds: number) =>
    isOne
      ? [...valuesOf(one), resourceOf(one), String(ms(lockSeconds))]
      : columnsOf(events, String(ms(lockSeconds)))
  try {
    try {
      const text = isOne ? sql.acceptOne : isCareful ? sql.acceptMany : sql.acceptManyNew
      return keysOf(await database.insert({ text, values: values(0.05), keepPlan: true }))
    } catch (error) {
      if (isOne || !(isPassing(error) || (!isCareful && isOfOneRow(error)))) throw error
      // One of them is known, or a handler has it in hand: its neighbors need not wait for that.
      return keysOf(await database.insert({ text: sql.acceptManyUnseen, values: values(0.25) }))
    }
  } catch (error) {
    if (isOfOneRow(error)) return none
    throw postgresFault('accept events', error)
  }
}

const none: ReadonlySet<string> = new Set()

const keysOf = (keys: readonly string[]): ReadonlySet<string> => new Set(keys.map(fromText))

/** What `acceptMany` takes: an array for each column, and the bodies in one. */
function columnsOf(events: readonly EventRef[], lockTimeout: string): unknown[] {
  const rows = events.map((event) => [...valuesOf(event), resourceOf(event)])
  const column = (index: number) => rows.map((row) => row[index])
  let end = 1
  const starts = events.map(({ body }) => {
    const start = end
    end += body.length
    return start
  })
  return [
    ...[0, 1, 2, 3, 4, 5].map(column),
    Buffer.concat(events.map(({ body }) => body)),
    column(7),
    lockTimeout,
    starts,
    events.map(({ body }) => body.length),
  ]
}
