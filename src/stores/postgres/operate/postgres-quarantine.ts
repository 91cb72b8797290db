import { eventChanged } from '../../../store/changed.js'
import { causeOfCode } from '../../../store/fingerprint.js'
import type { Inbox, QuarantineQuery } from '../../../store/inbox.js'
import { parseQuarantineKey, quarantineKey } from '../../../store/quarantined-delivery.js'
import { plainReason } from '../../../store/reason.js'
import { isAsSeen } from '../../../store/seen-event.js'
import { isPassing, postgresFault, withFault } from '../connection/postgres-fault.js'
import { fromText, toText } from '../connection/text.js'
import {
  type Database,
  type Limits,
  type Query,
  reading,
  shortly,
  withoutWaiting,
} from '../connection/transactions.js'
import { quarantineColumns, quarantineHeadColumns, toStoredQuarantine } from '../events/event-columns.js'
import { columns, content, resourceOf, values, valuesOf } from '../events/event-values.js'
import { ofClaim } from '../events/failure-statements.js'
import { failedColumns, joinGroup, noteGroup } from '../events/note-group.js'
import { failureOf, withFailure } from '../events/postgres-attempts.js'
import { stateByKey } from '../events/state-by-key.js'
import { forget, hideEvents } from './postgres-undo.js'

type QuarantineVerbs = Pick<
  Inbox,
  'quarantine' | 'acceptDead' | 'quarantined' | 'readQuarantined' | 'discard' | 'pruneQuarantine'
>

const busy = { state: 'busy', retryAfterSeconds: 1 } as const

/** Deliveries and events that are kept for review. `maxQuarantined` limits the deliveries of one endpoint. */
export function postgresQuarantine(
  database: Database<unknown>,
  schema: string,
  maxQuarantined: number,
): QuarantineVerbs {
  const sql = quarantineStatements(schema)

  /** Runs statements in one transaction, with a limit on the wait for locks. */
  const transact = <T>(doing: string, limits: Limits, run: (query: Query) => Promise<T>) =>
    withFault(doing, () => database.transaction(limits, ({ query }) => run(query)))

  return {
    quarantine: ({ endpoint, code, eventId, bodyHash, body }) =>
      transact('quarantine a delivery', shortly, async (query) => {
        const values = [endpoint, toText(bodyHash), code, eventId ?? null, body, maxQuarantined]
        const [kept] = await query(sql.quarantine, values)
        if (kept) {
          const example = quarantineKey({ endpoint, bodyHash })
          await noteGroup(query, schema, { endpoint, example }, await causeOfCode(code))
        }
        return kept ? ({ state: 'quarantined' } as const) : ({ state: 'full' } as const)
      }),

    async acceptDead(event, code, reason) {
      const error = plainReason(`${code}: ${reason}`)
      const cause = await causeOfCode(code, reason)
      try {
        const row = await database.transaction(withoutWaiting, async ({ query }) => {
          const values = [...valuesOf(event), resourceOf(event), error, cause.fingerprint]
          const [found] = await query(sql.acceptDead, values)
          if (found?.is_kept) {
            await joinGroup(query, schema, toText(event.key), found, cause)
          }
          return found
        })
        if (!row) {
          return busy
        }
        if (row.is_kept) {
          return { state: 'dead' }
        }
        const contentHash = fromText(row.content_hash)
        if (row.state === 'dead' && contentHash === event.contentHash) {
          return { state: 'dead' }
        }
        return { state: 'duplicate', contentHash }
      } catch (error) {
        if (isPassing(error)) {
          return busy
        }
        throw postgresFault('accept a dead event', error)
      }
    },

    quarantined: ({ endpoint, code, eventId, order, limit = 100, after, bodies = true }) =>
      transact('list the quarantine', reading, async (query) =>
        (
          await query(listSql(schema, bodies ? quarantineColumns : quarantineHeadColumns, order), [
            limit,
            endpoint ?? null,
            code ?? null,
            after ?? null,
            eventId ?? null,
          ])
        ).map(toStoredQuarantine),
      ),

    async readQuarantined(key) {
      const named = parseQuarantineKey(key)
      if (!named) {
        return undefined
      }
      return transact('read the quarantine', shortly, async (query) => {
        const [found] = await query(sql.readQuarantined, [named.endpoint, toText(named.bodyHash)])
        return found && toStoredQuarantine(found)
      })
    },

    async discard(key, { reason, actor }, undoSeconds = 0, seen) {
      const outcome = await transact('discard', withoutWaiting, async (query) => {
        const [why, who] = [plainReason(reason), plainReason(actor)]
        const [dead] = await query(sql.lockDead, [toText(key)])
        const [found] = seen ? await query(sql.look, [toText(key)]) : []
        if (seen && found && !isAsSeen(seen, found as { state: string; generation: number })) {
          return 'changed' as const
        }
        if (dead) {
          await query(sql.logDiscard, [toText(key), why, who])
          await hideEvents(query, schema, [toText(key)], { reason: why, actor: who, undoSeconds })
          return true
        }
        const delivery = parseQuarantineKey(key)
        if (!delivery) {
          return false
        }
        const { endpoint, bodyHash } = delivery
        // Otherwise a second discard would delete what the first one has kept for `undo`.
        if ((await query(sql.lockDelivery, [endpoint, toText(bodyHash)])).length === 0) {
          return false
        }
        await forget(query, schema, [toText(key)])
        const values = [toText(key), why, who, endpoint, toText(bodyHash), undoSeconds]
        return (await query(sql.discardDelivery, values)).length > 0
      })
      if (outcome === 'changed') {
        throw eventChanged()
      }
      return outcome
    },

    pruneQuarantine: (retentionSeconds, limit) =>
      transact('prune the quarantine', shortly, async (query) => {
        return (await query(sql.pruneQuarantine, [retentionSeconds, limit])).length
      }),
  }
}

const quarantineStatements = (schema: string) => ({
  /** `$6` how many the endpoint may keep. Returns nothing if the quarantine is full and does not contain this delivery. */
  quarantine: `
INSERT INTO ${schema}.quarantine AS q (endpoint, content_hash, code, event_id, body)
SELECT $1::text, $2::text, $3::text, $4::text, $5::bytea
WHERE EXISTS (SELECT FROM ${schema}.quarantine WHERE endpoint = $1::text AND content_hash = $2::text)
  OR (SELECT count(*) FROM (
    SELECT FROM ${schema}.quarantine WHERE endpoint = $1::text LIMIT $6::int) AS kept) < $6::int
ON CONFLICT (endpoint, content_hash) DO UPDATE
  SET deliveries = q.deliveries + 1, event_id = coalesce(q.event_id, EXCLUDED.event_id)
RETURNING true AS is_kept`,

  /**
   * `$8` the resource or null, `$9` the error, `$10` the fingerprint. An accepted event does not change. An event without a
   * job gets the new content. Returns nothing if a concurrent transaction has just inserted the event.
   */
  acceptDead: `
WITH kept AS (
  INSERT INTO ${schema}.events AS e (${columns}, resource, state, attempt, queued, last_error, failure_group, attempts)
  VALUES (${values}, $8::text, 'dead', 0, false, $9::text, $2::text || ':' || $10::text,
    jsonb_build_array(${failureOf({ generation: '0', attempt: '0', ...ofClaim })}))
  ON CONFLICT (key) DO UPDATE SET state = 'dead', due_at = NULL, last_error = excluded.last_error,
    failure_group = excluded.failure_group,
    attempts = ${withFailure({ of: 'e.', ...ofClaim }, { isOfQueue: false })},
    resource = CASE WHEN e.queued THEN e.resource ELSE excluded.resource END,
    ${content('excluded.type', 'excluded.created_at', 'excluded.content_hash', 'excluded.body', 'e.')}
  WHERE e.state IN ('accepted', 'failed') AND (NOT e.queued OR e.content_hash = excluded.content_hash)
  RETURNING true AS is_kept, ${failedColumns('e.')}
)
SELECT is_kept, NULL AS state, NULL AS content_hash, ${failedColumns()} FROM kept
UNION ALL
SELECT false, state, content_hash, ${failedColumns()} FROM ${schema}.events WHERE key = $1::text AND NOT EXISTS (SELECT FROM kept)`,

  /** `$1` endpoint, `$2` content hash. */
  readQuarantined: `
SELECT ${quarantineColumns} FROM ${schema}.quarantine WHERE endpoint = $1::text AND content_hash = $2::text`,

  lockDead: `SELECT key FROM ${schema}.events WHERE key = $1::text AND ${stateByKey} = 'dead' FOR UPDATE`,

  look: `SELECT state, generation FROM ${schema}.events WHERE key = $1::text`,

  /** `$1` endpoint, `$2` content hash. */
  lockDelivery: `
SELECT seq FROM ${schema}.quarantine WHERE endpoint = $1::text AND content_hash = $2::text FOR UPDATE`,

  /** `$1` key, `$2` reason, `$3` actor. */
  logDiscard: `
INSERT INTO ${schema}.audits (action, endpoint, key, event_id, reason, actor)
SELECT 'discard', endpoint, key, id, $2::text, $3::text FROM ${schema}.events WHERE key = $1::text`,

  /** `$1` key, `$2` reason, `$3` actor, `$4` endpoint, `$5` content hash, `$6` seconds to undo it. */
  discardDelivery: `
WITH gone AS (
  DELETE FROM ${schema}.quarantine WHERE endpoint = $4::text AND content_hash = $5::text RETURNING *
), logged AS (
  INSERT INTO ${schema}.audits (action, endpoint, key, event_id, reason, actor)
  SELECT 'discard', $4::text, $1::text, event_id, $2::text, $3::text FROM gone
), kept AS (
  INSERT INTO ${schema}.discarded
    (key, is_event, event_id, endpoint, undo_until, content_hash, code, deliveries, received_at, body)
  SELECT $1::text, false, event_id, endpoint, now() + make_interval(secs => $6::float8), content_hash, code, deliveries,
    received_at, body
  FROM gone WHERE $6::float8 > 0
)
INSERT INTO ${schema}.discards (key, event_id, code, content_hash, reason, actor)
SELECT $1::text, event_id, code, content_hash, $2::text, $3::text FROM gone RETURNING key`,

  /** `$1` seconds, `$2` how many. */
  pruneQuarantine: `
DELETE FROM ${schema}.quarantine WHERE seq = ANY (ARRAY(
  SELECT seq FROM ${schema}.quarantine WHERE received_at < now() - make_interval(secs => $1::float8)
  ORDER BY received_at LIMIT $2::int
  FOR UPDATE SKIP LOCKED
)) RETURNING seq`,
})

/** `$1` how many, `$2` endpoint or null, `$3` code or null, `$4` the place of the last one before, or null. */
const listSql = (schema: string, columns: string, order: QuarantineQuery['order']) => `
SELECT ${columns} FROM ${schema}.quarantine
WHERE ($2::text IS NULL OR endpoint = $2::text) AND ($3::text IS NULL OR code = $3::text)
  AND ($5::text IS NULL OR event_id = $5::text)
  AND ($4::bigint IS NULL OR seq ${order === 'oldest' ? '>' : '<'} $4::bigint)
ORDER BY seq ${order === 'oldest' ? 'ASC' : 'DESC'} LIMIT $1::int`
