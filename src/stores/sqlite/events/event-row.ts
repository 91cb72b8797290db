import type { Code } from '../../../codes.js'
import { clockMarginSeconds } from '../../../store/due-bounds.js'
import type { InboxState, StoredEvent } from '../../../store/inbox.js'
import { quarantineKey, type StoredQuarantine } from '../../../store/quarantined-delivery.js'

/** Under libsql a text ends at its first zero character, so one that comes from outside is read as bytes. */
export const asBytes = (column: string) => `CAST(${column} AS BLOB) AS ${column}`

const outside = [
  ...['key', 'endpoint', 'id', 'type', 'created_at', 'content_hash'],
  ...['last_error', 'resource', 'failure_group', 'trace_context', 'parent', 'root'],
].map(asBytes)

export const eventColumns = [
  ...outside,
  'state, attempt, failures, generation, received_at, delivered_at, done_at, due_at, scheduled_at, body',
].join(', ')

/** Like {@link eventColumns}, but only with the length of the body, which SQLite knows without reading the body. */
export const headColumns = withoutBody(eventColumns)

function withoutBody(columns: string): string {
  return columns.replace(/\bbody$/, "x'' AS body, length(body) AS body_bytes")
}

export interface EventRow {
  readonly key: Blob
  readonly endpoint: Blob
  readonly id: Blob
  readonly type: Blob
  readonly created_at: Blob
  readonly content_hash: Blob
  readonly last_error: Blob | null
  readonly resource: Blob | null
  readonly trace_context: Blob | null
  readonly parent: Blob | null
  readonly root: Blob | null
  readonly failure_group: Blob | null
  readonly state: InboxState
  readonly attempt: number
  readonly failures: number
  readonly generation: number
  readonly received_at: number
  readonly delivered_at: number | null
  readonly done_at: number | null
  readonly due_at: number
  readonly scheduled_at: number
  readonly body: Blob
  readonly body_bytes?: number
}

export function toStoredEvent(row: EventRow): StoredEvent {
  return {
    key: text(row.key),
    endpoint: text(row.endpoint),
    id: text(row.id),
    type: text(row.type),
    createdAt: text(row.created_at),
    contentHash: text(row.content_hash),
    body: bytes(row.body),
    ...(row.body_bytes !== undefined && { bodyBytes: Number(row.body_bytes) }),
    state: row.state,
    attempt: Number(row.attempt),
    failures: Number(row.failures),
    generation: Number(row.generation),
    receivedAt: time(row.received_at),
    ...(row.delivered_at !== null && { deliveredAt: time(row.delivered_at) }),
    ...(row.done_at !== null && { doneAt: time(row.done_at) }),
    ...(row.state === 'failed' && retryOf(row)),
    ...(row.last_error !== null && { lastError: text(row.last_error) }),
    ...(row.failure_group !== null && isFailing(row) && { group: text(row.failure_group) }),
    ...(row.resource !== null && { resource: text(row.resource) }),
    ...(row.parent !== null && { parent: text(row.parent) }),
    ...(row.root !== null && { root: text(row.root) }),
    ...(row.trace_context !== null && { traceContext: text(row.trace_context) }),
  }
}

/** If the clock was ahead when the time was set, a search finds the event at any time. */
function retryOf({ due_at, scheduled_at }: EventRow) {
  const now = Date.now()
  const left = Number(due_at) - now
  const isBeforeRetry = left > 0 && Number(scheduled_at) <= now + clockMarginSeconds * 1000
  return { retryAt: time(due_at), isBeforeRetry, ...(isBeforeRetry && { retryInSeconds: left / 1000 }) }
}

/** A program of the previous version does not change the group of an event. */
const isFailing = ({ state }: EventRow) => state === 'failed' || state === 'dead'

export const quarantineColumns = [
  ...['endpoint', 'content_hash', 'event_id'].map(asBytes),
  'code, deliveries, seq, received_at, body',
].join(', ')

export const quarantineHeadColumns = withoutBody(quarantineColumns)

export interface QuarantineRow {
  readonly endpoint: Blob
  readonly content_hash: Blob
  readonly event_id: Blob | null
  readonly code: Code
  readonly deliveries: number
  readonly seq: number
  readonly received_at: number
  readonly body: Blob
  readonly body_bytes?: number
}

export function toStoredQuarantine(row: QuarantineRow): StoredQuarantine {
  const endpoint = text(row.endpoint)
  const bodyHash = text(row.content_hash)
  return {
    key: quarantineKey({ endpoint, bodyHash }),
    endpoint,
    code: row.code,
    ...(row.event_id !== null && { eventId: text(row.event_id) }),
    bodyHash,
    body: bytes(row.body),
    ...(row.body_bytes !== undefined && { bodyBytes: Number(row.body_bytes) }),
    receivedAt: time(row.received_at),
    place: Number(row.seq),
    deliveries: Number(row.deliveries),
  }
}

// With `ignoreBOM` a text that starts with a byte order mark comes back as it was.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
export const text = (bytes: Blob) => utf8.decode(bytes)

/** libsql gives an ArrayBuffer, the others a view. */
type Blob = Uint8Array | ArrayBuffer
const bytes = (blob: Blob) => (blob instanceof Uint8Array ? blob : new Uint8Array(blob))

/** A time in ms as RFC 3339. */
export const time = (milliseconds: number) => new Date(Number(milliseconds)).toISOString()
