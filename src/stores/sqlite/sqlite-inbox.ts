import { invalidOption, StoreError } from '../../errors.js'
import { stateSql } from '../../store/applied-events.js'
import { eventChanged } from '../../store/changed.js'
import { Turns } from '../../store/due-bounds.js'
import { type FailureCause, fingerprintOf } from '../../store/fingerprint.js'
import type { Inbox, InboxState, StoredEvent } from '../../store/inbox.js'
import { plainReason } from '../../store/reason.js'
import { isAsSeen } from '../../store/seen-event.js'
import { sqliteBulk } from './bulk/sqlite-bulk.js'
import { isNewestSeen } from './bulk/sqlite-newest-copy.js'
import type { Connection } from './connection/connection.js'
import { milliseconds } from './connection/milliseconds.js'
import type { SqliteDatabase } from './connection/sqlite-database.js'
import { type SqliteTx, WriteList } from './connection/tx.js'
import * as rows from './events/event-row.js'
import { cutLateLease } from './events/late-lease.js'
import { firstOfResource, isBehindAnother } from './events/resource-order.js'
import { attemptsOf, type KeptAttempts, keptColumns } from './events/sqlite-attempts.js'
import { findDue } from './events/sqlite-due.js'
import { countOf, markDead, postpone } from './events/sqlite-failed-work.js'
import { valuesOf } from './events/sqlite-leases.js'
import { reopenEvent } from './events/sqlite-reopen-event.js'
import { searchSql, typesUnder } from './events/sqlite-search.js'
import { recordAudit, sqliteAudits } from './operate/sqlite-audits.js'
import { joinGroup, sqliteFailures } from './operate/sqlite-failures.js'
import { sqliteFlow } from './operate/sqlite-flow.js'
import { sqliteHealth } from './operate/sqlite-health.js'
import { sqliteQuarantine } from './operate/sqlite-quarantine.js'
import { sqliteStatistics } from './operate/sqlite-statistics.js'

const known = `
  SELECT state, ${stateSql('e')} AS was, queued, generation, lease_until, lease_span,
    ${['content_hash', 'endpoint', 'id'].map(rows.asBytes).join(', ')}
  FROM webhook_inbox_events AS e WHERE key = ?`

// An event that `once` left as failed, and that no handler runs, is accepted like an unseen one. A holder whose lease has passed
// loses its claim, because its content may be another.
const insert = `
  INSERT INTO webhook_inbox_events (state, queued, key, received_at, due_at, scheduled_at, endpoint, id, type,
    created_at, content_hash, body, trace_context, resource, waits)
  VALUES ('accepted', 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${isBehindAnother})
  ON CONFLICT (key) DO UPDATE SET state = 'accepted', queued = 1, due_at = excluded.due_at, attempt = 0, failures = 0,
    scheduled_at = excluded.scheduled_at, token = NULL, last_error = NULL, failure_group = NULL,
    endpoint = excluded.endpoint, id = excluded.id, type = excluded.type, created_at = excluded.created_at,
    content_hash = excluded.content_hash, body = excluded.body, resource = excluded.resource,
    trace_context = excluded.trace_context, waits = 0
  WHERE queued = 0 AND state IN ('claimed', 'failed') AND lease_until <= ?`

const select = `SELECT ${rows.eventColumns} FROM webhook_inbox_events AS e`

const readOne = `
  SELECT ${rows.eventColumns}, ${keptColumns} FROM webhook_inbox_events AS e WHERE key = ? AND state <> 'claimed'`

const placeOf = `SELECT ${rows.asBytes('endpoint')} FROM webhook_inbox_events WHERE key = ?`

const changed = Symbol('changed')
const busy = Symbol('busy')

interface Known {
  readonly state: InboxState | 'claimed'
  readonly was: InboxState
  readonly queued: number
  readonly generation: number
  readonly lease_until: number
  readonly lease_span: number
  readonly content_hash: Uint8Array
  readonly endpoint: Uint8Array
  readonly id: Uint8Array
}

const isClaimed = "SELECT 1 FROM webhook_inbox_events WHERE key = ? AND state <> 'done' AND lease_until > ?"

/** The events as rows of one table, by the clock of this host. */
export function sqliteInbox<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  maxQuarantined: number,
): Inbox<SqliteTx<Database>> {
  const turns = new Turns()
  const find = (key: string): Known | undefined => connection.all<Known>(known, key)[0]

  /** An event of another endpoint is no place: its time is not for this caller. */
  function isPlace(key: string, endpoint: string | undefined): boolean {
    const place = connection.all<{ endpoint: Uint8Array }>(placeOf, key)[0]
    return place !== undefined && (endpoint === undefined || rows.text(place.endpoint) === endpoint)
  }

  /** Changes a failed event, and adds it to the group of its cause. */
  const fail = (doing: string, key: string, cause: FailureCause, change: () => number) =>
    connection.writeSteps(doing, () => {
      if (change() > 0) {
        joinGroup(connection, key, cause, 'queue')
      }
    })

  /** Why an event cannot be accepted now; `undefined` if it can. */
  function hindrance(row: Known | undefined) {
    if (!row) {
      return undefined
    }
    const contentHash = rows.text(row.content_hash)
    if (row.queued || row.state === 'done' || row.state === 'dead') {
      return { state: 'duplicate', contentHash } as const
    }
    const remaining = Number(row.lease_until) - Date.now()
    return remaining > 0 && remaining <= Number(row.lease_span)
      ? ({ state: 'busy', retryAfterSeconds: remaining / 1000 } as const)
      : undefined
  }

  return {
    async accept(event, enqueue) {
      const tx = new WriteList<Database>()
      if (enqueue) {
        // No job for an event that is stored already.
        const early = hindrance(await connection.read('look up an event', () => find(event.key)))
        if (early) {
          return early
        }
        await enqueue(tx)
      }
      const hasSeveralSteps = tx.seal()
      function commit(database: Database) {
        const now = Date.now()
        const about = event.resource ?? null
        const values = [...valuesOf(event), event.traceContext ?? null, about, event.endpoint, about]
        if (connection.run(insert, event.key, now, now, now, ...values, now) > 0) {
          tx.run(database)
          return { state: 'accepted' } as const
        }
        const found = hindrance(find(event.key))
        if (!found) {
          cutLateLease(connection, event.key, now)
        }
        return found ?? ({ state: 'busy', retryAfterSeconds: 1 } as const)
      }
      return connection.write('accept an event', commit, { hasSeveralSteps })
    },

    async read(key) {
      const found = await connection.read('read an event', () => {
        return connection.all<rows.EventRow & KeptAttempts>(readOne, Date.now(), key)
      })
      return found[0] && { ...rows.toStoredEvent(found[0]), ...attemptsOf(found[0]) }
    },

    async list(query) {
      const newest = query.order === 'newest' ? ' DESC' : ''
      const columns = query.bodies === false ? rows.headColumns : rows.eventColumns
      const from = 'webhook_inbox_events AS e'
      const found = await connection.read('list events', () => {
        if (query.after !== undefined && !isPlace(query.after, query.endpoint)) {
          return undefined
        }
        const search = searchSql(query, typesUnder(connection, query))
        if (!search) {
          return []
        }
        const sql = `SELECT ${columns} FROM ${from} WHERE seq IN (SELECT seq FROM (${search.text})) ORDER BY received_at${newest}, seq${newest}`
        return connection.all<rows.EventRow>(sql, ...search.values)
      })
      if (found) {
        return found.map(rows.toStoredEvent)
      }
      throw invalidOption('no event is kept under the key that list is to go on after')
    },

    async due(limit, endpoint, filter = {}): Promise<StoredEvent[]> {
      const search = () => findDue(connection, limit, endpoint, filter, turns)
      return (await connection.read('look for due events', search)).map(rows.toStoredEvent)
    },

    async nextForResource(key) {
      const sql = `${select} WHERE seq = (SELECT ${firstOfResource} FROM webhook_inbox_events AS e WHERE e.key = ?)`
      const found = await connection.read('find whose turn it is', () =>
        connection.all<rows.EventRow>(sql, key),
      )
      return found[0] && rows.toStoredEvent(found[0])
    },

    async postpone(key, retryAfterSeconds, error, cause, at) {
      const pause = retryAfterSeconds <= 0 ? 0 : milliseconds(retryAfterSeconds)
      await fail('postpone an event', key, cause ?? (await fingerprintOf(error)), () => {
        const now = Date.now()
        return connection.run(postpone, now + pause, now, plainReason(error), key, ...countOf(at))
      })
    },

    async markDead(key, error, cause, at) {
      await fail('mark an event dead', key, cause ?? (await fingerprintOf(error)), () =>
        connection.run(markDead, plainReason(error), key, ...countOf(at)),
      )
    },

    async requeue(key, audit, enqueue, seen, copies) {
      for (;;) {
        const row = await connection.read('look up an event', () => find(key))
        if (!row || row.state === 'claimed') {
          return undefined
        }
        if (seen && !isAsSeen(seen, row)) {
          throw eventChanged()
        }
        const generation = Number(row.generation) + 1
        const tx = new WriteList<Database>()
        await enqueue(tx, generation)
        tx.seal()
        const commit = (database: Database) => {
          const now = Date.now()
          cutLateLease(connection, key, now)
          if (connection.all(isClaimed, key, now).length > 0) {
            return busy
          }
          if (copies && !isNewestSeen(connection, key, copies)) {
            return changed
          }
          if (!reopenEvent(connection, key, row, audit)) {
            return false
          }
          const [endpoint, eventId] = [rows.text(row.endpoint), rows.text(row.id)]
          const about = { action: 'replay', endpoint, key, eventId, ...audit } as const
          recordAudit(connection, about, row.was)
          tx.run(database)
          return true
        }
        // If the event changed meanwhile, this looks at it again. After another replay it makes the next generation.
        const outcome = await connection.writeSteps('replay an event', commit)
        if (outcome === changed) {
          throw eventChanged()
        }
        if (outcome === busy) {
          throw new StoreError('the event is being worked on; fix: replay it in a moment', { reason: 'busy' })
        }
        if (outcome) {
          return generation
        }
      }
    },

    ...sqliteQuarantine(connection, maxQuarantined),

    auditLog: sqliteAudits(connection),
    statistics: sqliteStatistics(connection),
    failures: sqliteFailures(connection),
    flow: sqliteFlow(connection),
    bulk: sqliteBulk(connection),

    health: sqliteHealth(connection),
  }
}
