import type { Database } from '../database/open.js'

/** The conditions of a delivery to wait for. A missing field matches everything. */
export interface DeliveryFilter {
  readonly type?: string | undefined
  readonly eventId?: string | undefined
  /** The outcome in the response of a receiver of webhook-inbox, such as `processed` or `duplicate`. */
  readonly outcome?: string | undefined
  /** The HTTP status of the response. */
  readonly status?: number | undefined
}

/** The column for each field of a filter. */
const columns: { readonly [Name in keyof DeliveryFilter]-?: string } = {
  type: 'events.type',
  eventId: 'event_id',
  outcome: "record ->> '$.outcome'",
  status: "record ->> '$.response.status'",
}

/** The first attempt that matches, by the order of the deliveries. Reads only this attempt into memory. */
export function findAttempt(
  database: Database,
  filter: DeliveryFilter,
): { readonly deliveryId: string; readonly number: number } | undefined {
  const given = Object.entries(columns).flatMap(([name, column]) => {
    const value = filter[name as keyof DeliveryFilter]
    return value === undefined ? [] : [{ condition: `${column} = ?`, value }]
  })
  const where = given.map(({ condition }) => condition).join(' AND ') || 'TRUE'
  const row = database
    .prepare(
      `SELECT delivery_id, number FROM deliveries JOIN events ON events.id = event_id
       JOIN attempts ON delivery_id = deliveries.id WHERE ${where} ORDER BY deliveries.seq, number LIMIT 1`,
    )
    .get(...given.map(({ value }) => value)) as { delivery_id: string; number: number } | undefined
  return row && { deliveryId: row.delivery_id, number: row.number }
}
