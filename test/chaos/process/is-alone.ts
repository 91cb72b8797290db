import type pg from 'pg'

/** Gives the transaction an id too, because a handler that has not written anything may have none. */
const tryLock = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7)) AS is_locked, pg_current_xact_id()'

const live = 'SELECT pid FROM pg_stat_activity WHERE backend_xid IS NOT NULL'

const liveHolders = `
  SELECT FROM pg_locks AS l JOIN hashtextextended($1, 7) AS key ON l.classid = ((key >> 32) & 4294967295)::oid
    AND l.objid = (key & 4294967295)::oid AND l.objsubid = 1
  WHERE l.locktype = 'advisory' AND l.granted AND l.pid = ANY ($2::int[])
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/**
 * Whether no other live transaction is in the handler of an event. A transaction that ends loses its id and its row locks
 * first, and this lock a moment later. So a holder without an id is not live, and its lock is free soon. Only a transaction
 * that has the lock is alone, so the next one finds it.
 */
export async function isAlone(client: Pick<pg.ClientBase, 'query'>, id: string): Promise<boolean> {
  for (;;) {
    const { rows } = await client.query(tryLock, [id])
    if (rows[0].is_locked) {
      return true
    }
    // A transaction sees the same pg_stat_activity until it ends.
    await client.query('SELECT pg_stat_clear_snapshot()')
    // Read before the locks: a holder that ends between them could begin another transaction, with an id.
    const { rows: backends } = await client.query(live)
    const { rowCount } = await client.query(liveHolders, [id, backends.map(({ pid }) => pid)])
    if (rowCount) {
      return false
    }
  }
}
