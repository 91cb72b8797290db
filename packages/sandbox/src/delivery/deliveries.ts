import type { Database } from '../database/open.js'
import type { Page } from '../database/page.js'
import type { Envelope } from '../options/options.js'
import type { Edited, StoredAttempt } from './attempts.js'
import type { FaultName } from './chaos.js'
import type { FailureKind } from './failure.js'

/** One event for one subscription. */
export interface Delivery {
  /** Grows with every delivery; a cursor for lists. */
  readonly seq: number
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly subscriptionId: string
  readonly url: string
  readonly envelope: Envelope
  /** `event` from a state change, `duplicate` a second one on purpose, `replay` asked for by a person. */
  readonly cause: 'event' | 'duplicate' | 'replay'
  /** `exhausted` after the last attempt of the schedule, `canceled` with its subscription. */
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'canceled'
  /** Attempts that have ended. */
  readonly attempts: number
  /** When the next attempt is due, in unix milliseconds by the sandbox's clock. */
  readonly nextTryAt: number | undefined
  /** The Service-Signature of the first attempt, once it is known. */
  readonly signature: string | undefined
  readonly createdAt: number
  readonly endedAt: number | undefined
  /** The newest attempt that has ended; `undefined` if there is none, or if it was pruned. */
  readonly last: LastAttempt | undefined
}

/** A summary of one attempt. */
export interface LastAttempt {
  /** Counted from 1. */
  readonly number: number
  /** Unix milliseconds by the sandbox's clock. */
  readonly startedAt: number
  /** The HTTP status, if a response came. */
  readonly status: number | undefined
  /** The outcome in the response of a receiver of webhook-inbox, such as `processed`. */
  readonly outcome: string | undefined
  /** The code in the response of such a receiver. */
  readonly code: string | undefined
  /** The kind of failure, if no complete response came. */
  readonly failure: FailureKind | undefined
  /** How long it took, by the system clock. */
  readonly milliseconds: number
  /** The faults of chaos that happened to it. */
  readonly faults: readonly FaultName[]
  /** Only of an attempt with edited bytes or an edited signature. */
  readonly edited: Edited | undefined
}

export interface ListFilter {
  readonly eventId?: string | undefined
  readonly subscriptionId?: string | undefined
  readonly state?: Delivery['state'] | undefined
}

const select = `SELECT deliveries.*, events.type, newest.started_at, newest.record
  FROM deliveries JOIN events ON events.id = event_id
  LEFT JOIN attempts AS newest ON newest.delivery_id = deliveries.id AND newest.number = deliveries.attempts`

/** The delivery with this id; `undefined` if there is none, or if it was pruned. */
export function readDelivery(database: Database, id: string): Delivery | undefined {
  const row = database.prepare(`${select} WHERE deliveries.id = ?`).get(id)
  return row === undefined ? undefined : deliveryOf(row as DeliveryRow)
}

/** Deliveries, the newest first. */
export function listDeliveries(
  database: Database,
  { limit, before = Number.MAX_SAFE_INTEGER }: Page,
  { eventId, subscriptionId, state }: ListFilter = {},
): Delivery[] {
  const filters = { event_id: eventId, subscription_id: subscriptionId, state }
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const conditions = given.map(([column]) => ` AND ${column} = ?`).join('')
  return database
    .prepare(`${select} WHERE deliveries.seq < ?${conditions} ORDER BY deliveries.seq DESC LIMIT ?`)
    .all(before, ...given.map(([, value]) => value as string), limit)
    .map((row) => deliveryOf(row as DeliveryRow))
}

/** Deliveries of a subscription whose next attempt is due, the longest overdue first. */
export function dueDeliveries(
  database: Database,
  subscriptionId: string,
  now: number,
  limit: number,
): Delivery[] {
  return database
    .prepare(
      `${select} WHERE subscription_id = ? AND state = 'pending' AND due_at <= ? ORDER BY due_at, deliveries.seq LIMIT ?`,
    )
    .all(subscriptionId, now, limit)
    .map((row) => deliveryOf(row as DeliveryRow))
}

/** Every subscription that has a pending delivery. One index lookup for each, for any number of deliveries. */
export function subscriptionsWithPending(database: Database): string[] {
  const rows = database
    .prepare(
      `WITH RECURSIVE waiting (id) AS (
         SELECT min(subscription_id) FROM deliveries WHERE state = 'pending'
         UNION ALL
         SELECT (SELECT min(subscription_id) FROM deliveries
                 WHERE state = 'pending' AND subscription_id > waiting.id)
         FROM waiting WHERE waiting.id IS NOT NULL
       ) SELECT id FROM waiting WHERE id IS NOT NULL`,
    )
    .all()
  return (rows as { id: string }[]).map(({ id }) => id)
}

/** When the first attempt after `time` is due; `undefined` if none is planned. */
export function nextDueAfter(database: Database, time: number): number | undefined {
  const row = database
    .prepare("SELECT min(due_at) AS due_at FROM deliveries WHERE state = 'pending' AND due_at > ?")
    .get(time)
  return (row as { due_at: number | null }).due_at ?? undefined
}

interface DeliveryRow
  extends Pick<Delivery, 'seq' | 'id' | 'url' | 'envelope' | 'cause' | 'state' | 'attempts'> {
  readonly event_id: string
  readonly type: string
  readonly subscription_id: string
  readonly due_at: number | null
  readonly signature: string | null
  readonly created_at: number
  readonly ended_at: number | null
  /** Of the newest attempt. */
  readonly started_at: number | null
  readonly record: string | null
}

const deliveryOf = (row: DeliveryRow): Delivery => ({
  seq: row.seq,
  id: row.id,
  eventId: row.event_id,
  eventType: row.type,
  subscriptionId: row.subscription_id,
  url: row.url,
  envelope: row.envelope,
  cause: row.cause,
  state: row.state,
  attempts: row.attempts,
  nextTryAt: row.due_at ?? undefined,
  signature: row.signature ?? undefined,
  createdAt: row.created_at,
  endedAt: row.ended_at ?? undefined,
  last: lastOf(row),
})

const lastOf = ({ record, started_at, attempts }: DeliveryRow): LastAttempt | undefined =>
  record === null || started_at === null ? undefined : summaryOf(attempts, started_at, record)

/** A stored attempt in short. */
function summaryOf(number: number, startedAt: number, record: string): LastAttempt {
  const { response, outcome, code, failure, timings, faults, edited } = JSON.parse(record) as StoredAttempt
  const milliseconds = timings.ended
  const status = response?.status
  return { number, startedAt, status, outcome, code, failure: failure?.kind, milliseconds, faults, edited }
}

/** Every stored attempt that started at this time or later, the oldest first. */
export function attemptsSince(database: Database, startedAt: number) {
  const rows = database
    .prepare(
      'SELECT delivery_id, number, started_at, record FROM attempts WHERE started_at >= ? ORDER BY seq',
    )
    .all(startedAt) as { delivery_id: string; number: number; started_at: number; record: string }[]
  return rows.map(({ delivery_id: deliveryId, number, started_at, record }) => ({
    deliveryId,
    ...summaryOf(number, started_at, record),
  }))
}
