import Libsql from 'libsql'
import { fillSqlite } from './millions/fill.js'
import { type Inbox, openInbox, sqliteFile } from './rig.js'

/** Ended replays of so many events each, the newest last. A tenth of the events is dead. */
export async function openReplayed(counts: readonly number[]): Promise<Inbox> {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  const database = new Libsql(file)
  fillSqlite(database, 'payments', Math.max(...counts))
  for (const [at, count] of counts.entries()) {
    database.exec(`
      INSERT INTO webhook_inbox_plans (id, endpoint, action, conditions, count, is_capped, is_ready, created_at)
      VALUES ('plan-${at}', 'payments', 'replay', '{}', ${count}, 0, 1, 1);
      INSERT INTO webhook_inbox_runs
        (id, plan, reason, actor, per_second, canary, is_past_canary, state, applied, place, created_at, ended_at)
      VALUES ('run-${at}', 'plan-${at}', 'a test', 'operator', 1, 0, 1, 'done', ${count}, ${count}, 1, 2);
      INSERT INTO webhook_inbox_audits (at, action, endpoint, key, event_id, reason, actor, run)
      SELECT 1, 'replay', endpoint, key, id, 'a test', 'operator', 'run-${at}' FROM webhook_inbox_events
      ORDER BY seq LIMIT ${count}`)
  }
  database.close()
  return inbox
}
