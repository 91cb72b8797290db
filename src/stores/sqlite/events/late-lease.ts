import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'

const cut = `
  UPDATE webhook_inbox_events SET lease_until = ? + lease_span WHERE key = ? AND lease_until > ? + lease_span`

const cutOthers = `
  UPDATE webhook_inbox_events AS o SET lease_until = ? + o.lease_span FROM webhook_inbox_events AS e
  WHERE e.key = ? AND o.endpoint = e.endpoint AND o.resource = e.resource AND o.resource IS NOT NULL
    AND o.lease_until > 0 AND o.lease_until > ? + o.lease_span`

/**
 * A lease that ends later than its span allows was taken before the clock was set back. Its handler may still run, so the lease is cut
 * to its span. Call it only in a `write` that commits, or the lease never ends.
 */
export function cutLateLease<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  key: string,
  now: number,
): void {
  connection.run(cut, now, key, now)
}

/** Does the same for the other events of the resource of this event. */
export function cutLateLeasesOfResource<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  key: string,
  now: number,
): void {
  connection.run(cutOthers, now, key, now)
}
