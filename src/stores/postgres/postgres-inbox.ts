import { ConfigurationError } from '../../errors.js'
import { eventChanged } from '../../store/changed.js'
import { firstLane, joined, type Lane, Turns } from '../../store/due-bounds.js'
import { type FailureCause, fingerprintOf } from '../../store/fingerprint.js'
import type { FailureCount, Inbox, InboxQuery, StoredEvent } from '../../store/inbox.js'
import { plainReason } from '../../store/reason.js'
import { postgresBulk } from './bulk/postgres-bulk.js'
import { checkNewestCopy } from './bulk/postgres-newest-copy.js'
import { withFault } from './connection/postgres-fault.js'
import { toText } from './connection/text.js'
import {
  type Database,
  type Limits,
  type Row,
  reading,
  shortly,
  withoutWaiting,
} from './connection/transactions.js'
import { postgresAccept } from './events/accept-in-batches.js'
import { commitWithJob } from './events/commit-with-job.js'
import { eventColumns, toStoredEvent } from './events/event-columns.js'
import { joinGroup } from './events/note-group.js'
import { attemptsOf, keptColumn } from './events/postgres-attempts.js'
import { type Place, searchSql } from './events/postgres-search.js'
import type { Statements } from './events/statements.js'
import { takeEvent } from './events/take-event.js'
import { readHealth } from './operate/health.js'
import { postgresAudits } from './operate/postgres-audits.js'
import { postgresFailures } from './operate/postgres-failures.js'
import { postgresFlow } from './operate/postgres-flow.js'
import { postgresQuarantine } from './operate/postgres-quarantine.js'
import { postgresStatistics } from './operate/postgres-statistics.js'
import type { PostgresSettings } from './postgres-options.js'

/** The events, in the same table as their claims. */
export function postgresInbox<Tx>(
  database: Database<Tx>,
  sql: Statements,
  { schema, maxQuarantined }: Pick<PostgresSettings, 'schema' | 'maxQuarantined'>,
): Inbox<Tx> {
  const events = `${schema}.events`
  const turns = new Turns()
  const { begin } = database

  const run = (doing: string, text: string, values: readonly unknown[]) =>
    withFault(doing, () => database.query(text, values))

  const limited = (doing: string, limits: Limits, text: string, values: readonly unknown[]) =>
    withFault(doing, () => database.ask(limits, { text, values }))

  /** Runs a statement that runs for each event, or for a few of them. */
  const often = (doing: string, limits: Limits, text: string, values: readonly unknown[]) =>
    withFault(doing, () => database.ask(limits, { text, values, planSeconds: 1 }))

  /** Runs a statement that only reads. Its limits give an operator an answer soon. A change that begins with it fails soon too. */
  const ask = (doing: string, text: string, values: readonly unknown[]) =>
    limited(doing, reading, text, values)

  /** Changes a failed event, and adds it to the group of its cause. Its key is the first value. */
  const fail = (
    doing: string,
    text: string,
    values: readonly [key: string, ...unknown[]],
    cause: FailureCause,
  ) =>
    withFault(doing, () =>
      database.transaction(withoutWaiting, async ({ query }) => {
        const [failed] = await query(text, values)
        if (failed) {
          await joinGroup(query, schema, values[0], failed, cause)
        }
      }),
    )

  return {
    accept: postgresAccept(database, sql),

    async read(key) {
      const text = `SELECT ${eventColumns}, ${keptColumn} FROM ${events} WHERE key = $1::text`
      const [row] = await often('read an event', reading, text, [toText(key)])
      return row && { ...toStoredEvent(row), ...attemptsOf(row) }
    },

    ...(begin && { take: (event, durations) => takeEvent(begin, sql, event, durations) }),

    async list(query: InboxQuery) {
      const { after, endpoint } = query
      const from =
        after === undefined
          ? undefined
          : (await ask('list events', sql.place, [toText(after), endpoint ?? null]))[0]
      if (after !== undefined && !from) {
        throw new ConfigurationError(
          'invalid_option',
          'no event is kept under the key that list is to go on after',
        )
      }
      const search = searchSql(schema, query, from as Place | undefined)
      return search ? (await ask('list events', search.text, search.values)).map(toStoredEvent) : []
    },

    async due(limit, endpoint, { onlyTypes, exceptTypes = [], exceptResources = [], bodies = true } = {}) {
      const isNarrowed = onlyTypes !== undefined || exceptTypes.length > 0 || exceptResources.length > 0
      const doing = 'find what is due'
      const isOfEndpoint = endpoint !== undefined
      const found = isNarrowed
        ? undefined
        : await often(
            doing,
            shortly,
            sql.due(limit, { isOfEndpoint, bodies }),
            isOfEndpoint ? [endpoint] : [],
          )
      if (found && !found[0]?.is_held) {
        return eventsOf(found)
      }
      const narrowed = [limit, endpoint ?? null, onlyTypes ?? null, exceptTypes, exceptResources.map(toText)]
      // In a transaction without JIT compilation. Postgres overestimates these plans, and would compile them for seconds.
      const search = (text: string, { endpoint, type } = firstLane) =>
        limited(doing, shortly, text, [...narrowed, endpoint, type])
      const isNamed = onlyTypes !== undefined && isOfEndpoint
      const byType = await search(isNamed ? sql.dueOfTypes(bodies) : sql.dueByType(bodies))
      if (!nextLane(byType)) {
        return eventsOf(byType)
      }
      const oldest = await search(sql.dueAmongOldest(bodies))
      if (!oldest[0]?.is_more || oldest.length >= limit) {
        return eventsOf(oldest)
      }
      const others = await search(sql.dueByType(bodies), turns.of(endpoint))
      turns.continueAfter(endpoint, nextLane(others))
      return joined(eventsOf(oldest), eventsOf(others), ({ key }) => key, limit)
    },

    async nextForResource(key) {
      const [row] = await often('find whose turn it is', shortly, sql.nextForResource, [toText(key)])
      return row && toStoredEvent(row)
    },

    // An overdue handler holds the row of its event until its transaction ends. Waiting for it would use a second client of
    // the pool. So this fails immediately, and the queue records the failure again a moment later.
    async postpone(key, retryAfterSeconds, error, given, at) {
      const cause = given ?? (await fingerprintOf(error))
      const values = [toText(key), plainReason(error), retryAfterSeconds, cause.fingerprint] as const
      await fail('postpone an event', sql.postpone, [...values, ...countOf(at)], cause)
    },

    async markDead(key, error, given, at) {
      const cause = given ?? (await fingerprintOf(error))
      const values = [toText(key), plainReason(error), cause.fingerprint] as const
      await fail('mark an event dead', sql.markDead, [...values, ...countOf(at)], cause)
    },

    async requeue(key, { reason, actor }, enqueue, seen, copies) {
      const terms = {
        doing: 'replay an event',
        whenBusy: 'the event is being worked on; fix: replay it in a moment',
        // Other changes hold the row for milliseconds, and a handler as long as it runs.
        limits: { ...shortly, lockSeconds: 1 },
      }
      return commitWithJob(database, terms, async (session, within) => {
        const expected = [seen?.state ?? null, seen?.generation ?? null]
        const values = [toText(key), plainReason(reason), plainReason(actor), ...expected]
        const [reopened] = await session.query(sql.requeue, values)
        if (reopened && copies) {
          await checkNewestCopy(session.query, schema, { key, copies })
        }
        if (reopened) {
          await within(() => enqueue(session.tx, reopened.generation))
        } else if (seen && (await session.query(sql.find, [toText(key)])).length > 0) {
          throw eventChanged()
        }
        return reopened?.generation as number | undefined
      })
    },

    ...postgresQuarantine(database, schema, maxQuarantined),

    auditLog: postgresAudits((text, values) => ask('list the audits', text, values), schema),
    bulk: postgresBulk(database, schema),
    failures: postgresFailures(database, schema),
    flow: postgresFlow(database, schema),

    statistics: postgresStatistics((text, values) => ask('count events', text, values), schema),

    health: () => readHealth((text, values) => run('count events', text, values), schema),
  }
}

/** A search returns one row without an event if it finds none. */
const eventsOf = (rows: readonly Row[]): StoredEvent[] =>
  rows.filter(({ key }) => key !== null).map(toStoredEvent)

const nextLane = ([row]: readonly Row[]): Lane | undefined =>
  row?.next_type == null ? undefined : { endpoint: row.next_endpoint, type: row.next_type }

const countOf = (at: FailureCount | undefined) => [at?.generation ?? null, at?.failures ?? null] as const
