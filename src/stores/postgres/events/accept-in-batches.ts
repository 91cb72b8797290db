import type { EventRef } from '../../../store/event-ref.js'
import type { AcceptOutcome, Inbox } from '../../../store/inbox.js'
import { isOfOneRow, isPassing, postgresFault } from '../connection/postgres-fault.js'
import { fromText } from '../connection/text.js'
import { type Database, ms } from '../connection/transactions.js'
import { Batches } from './batches.js'
import { passing, tryWithJob } from './commit-with-job.js'
import { contentOf, limitsOf, resourceOf, traceContextOf, valuesOf } from './event-values.js'
import type { Statements } from './statements.js'

/** While one batch is flushed to the disk, the next one executes. */
const withoutJobs = { lanes: 2, largestCount: 200 }

/** The queue writes one job after the other. More batches of fewer events keep several connections busy with that. */
const withJobs = { lanes: 5, largestCount: 10 }

interface EventWithJob<Tx> extends EventRef {
  readonly enqueue: (tx: Tx) => Promise<void>
}

/**
 * Commits events in batches, with their jobs if they have any. A batch inserts only unseen events. Each known event gets its
 * outcome from its own transaction. So does each event of a batch that failed, perhaps because of another event.
 */
export function postgresAccept<Tx>(database: Database<Tx>, sql: Statements): Inbox<Tx>['accept'] {
  const batches = new Batches<EventRef>(withoutJobs, (events) => insert(database, sql, events))
  const jobBatches = new Batches<EventWithJob<Tx>>(withJobs, (events) =>
    insertWithJobs(database, sql, events),
  )

  async function alone(event: EventRef, enqueue?: (tx: Tx) => Promise<void>): Promise<AcceptOutcome> {
    const rest = [resourceOf(event), traceContextOf(event)]
    const outcome = await tryWithJob(
      database,
      'accept an event',
      limitsOf(event.durations),
      async (session, within, isNew) => {
        if (isNew.length === 0) {
          const [found] = await session.query(sql.acceptKnown, [...contentOf(event), ...rest])
          if (!found) {
            return passing
          }
          if (!found.is_new) {
            return { state: 'duplicate', contentHash: fromText(found.content_hash) } as const
          }
        }
        await within(async () => enqueue?.(session.tx))
        return accepted
      },
      { text: sql.acceptUnseen, values: [...valuesOf(event), ...rest] },
    )
    return outcome === passing ? { state: 'busy', retryAfterSeconds: 1 } : outcome
  }

  return async (event, enqueue) => {
    const isInserted = await (enqueue ? jobBatches.add({ ...event, enqueue }) : batches.add(event))
    return isInserted ? accepted : alone(event, enqueue)
  }
}

const accepted = { state: 'accepted' } as const

/**
 * Inserts the unseen events in one statement, which is one transaction. Resolves to their keys. If the statement failed,
 * perhaps because of one event, resolves to no keys. Rejects with a `StoreError` if every event would fail.
 */
async function insert(
  database: Database<unknown>,
  sql: Statements,
  events: readonly EventRef[],
): Promise<ReadonlySet<string>> {
  try {
    const values = columnsOf(events, String(ms(lockSeconds)))
    const keys = await database.insert({ text: sql.acceptMany, values })
    return new Set(keys.map(fromText))
  } catch (error) {
    if (isPassing(error) || isOfOneRow(error)) {
      return none
    }
    throw postgresFault('accept events', error)
  }
}

/**
 * Does the same and writes the jobs of the inserted events, in one transaction. Resolves to no keys also if a job was rejected:
 * each event is then accepted alone, and only one of them fails.
 */
async function insertWithJobs<Tx>(
  database: Database<Tx>,
  sql: Statements,
  events: readonly EventWithJob<Tx>[],
): Promise<ReadonlySet<string>> {
  let isOfQueue = false
  const limits = { lockSeconds, idleSeconds: Math.max(...events.map(idleSecondsOf)) }
  const first = { text: sql.acceptMany, values: columnsOf(events, String(ms(lockSeconds))) }
  try {
    return await database.transaction(
      limits,
      async ({ tx }, found) => {
        const keys = new Set(found.map(([key]) => fromText(key as string)))
        for (const { enqueue } of events.filter(({ key }) => keys.has(key))) {
          isOfQueue = true
          await enqueue(tx)
          isOfQueue = false
        }
        return keys
      },
      first,
    )
  } catch (error) {
    if (isOfQueue || isPassing(error) || isOfOneRow(error)) {
      return none
    }
    throw postgresFault('accept events', error)
  }
}

const idleSecondsOf = ({ durations }: EventRef) => limitsOf(durations).idleSeconds

/** How long a batch waits for a handler that holds one of its events. The other events must not wait for it. */
const lockSeconds = 0.05

const none: ReadonlySet<string> = new Set()

/** The values of `acceptMany`: an array for each column, and one buffer for all bodies. */
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
    events.map(traceContextOf),
  ]
}
