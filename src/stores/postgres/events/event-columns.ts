import { clockMarginSeconds } from '../../../store/due-bounds.js'
import type { StoredEvent } from '../../../store/inbox.js'
import { quarantineKey, type StoredQuarantine } from '../../../store/quarantined-delivery.js'
import { fromText } from '../connection/text.js'
import { rfc3339, timeColumn } from '../connection/time-column.js'
import type { Row } from '../connection/transactions.js'

/**
 * The columns of an event, as {@link toStoredEvent} reads them. If the clock was ahead when the time of a retry was set, a search
 * finds the event at any time.
 */
export const eventColumns = `key, endpoint, id, type, created_at, content_hash, body, state, attempt, failures, generation,
  last_error, resource, failure_group, trace_context, parent, root,
  due_at > now() AND coalesce(scheduled_at <= now() + interval '${clockMarginSeconds} s', true) AS is_before_retry,
  extract(epoch FROM due_at - now())::float8 AS retry_in,
  ${['received_at', 'delivered_at', 'done_at', 'due_at'].map(timeColumn).join(', ')}`

/** Like {@link eventColumns}, but only with the length of the body, which Postgres knows without reading the body. */
export const headColumns = withoutBody(eventColumns)

function withoutBody(columns: string): string {
  return columns.replace(' body,', " ''::bytea AS body, octet_length(body) AS body_bytes,")
}

const plainly = (name: string) => [name, name] as const
const asTime = (name: string) => [name, rfc3339(name)] as const

/** The columns of an accepted event that its claim does not change, and how each is selected as text. */
export const columnsBesideClaim = [
  ...['key', 'endpoint', 'id', 'type', 'created_at', 'content_hash'].map(plainly),
  ['body', "encode(body, 'hex')"],
  ['failures', 'failures::text'],
  ...['resource', 'trace_context', 'parent', 'root'].map(plainly),
  ...['received_at', 'delivered_at'].map(asTime),
] as const

export const toStoredEvent = (row: Row): StoredEvent => ({
  key: fromText(row.key),
  endpoint: row.endpoint,
  id: row.id,
  type: row.type,
  createdAt: row.created_at,
  contentHash: fromText(row.content_hash),
  body: row.body,
  ...(row.body_bytes !== undefined && { bodyBytes: row.body_bytes }),
  state: row.state,
  attempt: row.attempt,
  failures: row.failures,
  generation: row.generation,
  receivedAt: row.received_at,
  ...(row.delivered_at !== null && { deliveredAt: row.delivered_at }),
  ...(row.state === 'done' && { doneAt: row.done_at }),
  ...(row.state === 'failed' && { retryAt: row.due_at, isBeforeRetry: row.is_before_retry }),
  ...(row.state === 'failed' && row.is_before_retry && { retryInSeconds: row.retry_in }),
  ...(row.last_error !== null && { lastError: row.last_error }),
  ...(row.failure_group !== null && isFailing(row) && { group: row.failure_group }),
  ...(row.resource !== null && { resource: fromText(row.resource) }),
  ...(row.parent !== null && { parent: row.parent }),
  ...(row.root !== null && { root: row.root }),
  ...(row.trace_context !== null && { traceContext: fromText(row.trace_context) }),
})

/** A program of the previous version does not change the group of an event. */
const isFailing = ({ state }: Row) => state === 'failed' || state === 'dead'

/** The columns of a quarantined delivery, as {@link toStoredQuarantine} reads them. */
export const quarantineColumns = `endpoint, code, event_id, content_hash, body, deliveries, seq::float8 AS place,
  ${timeColumn('received_at')}`

export const quarantineHeadColumns = withoutBody(quarantineColumns)

export function toStoredQuarantine(row: Row): StoredQuarantine {
  const bodyHash = fromText(row.content_hash)
  return {
    key: quarantineKey({ endpoint: row.endpoint, bodyHash }),
    endpoint: row.endpoint,
    code: row.code,
    ...(row.event_id !== null && { eventId: row.event_id }),
    bodyHash,
    body: row.body,
    ...(row.body_bytes !== undefined && { bodyBytes: row.body_bytes }),
    place: row.place,
    deliveries: row.deliveries,
    receivedAt: row.received_at,
  }
}
