import type { InboxHealth } from '../../../store/inbox.js'
import type { Query } from '../connection/transactions.js'
import { waitingSince } from './oldest.js'

/** Done events are counted up to this number. Beyond it, their number is the planner’s estimate. */
const mostCounted = 10_000

/** The counts by state. A health check runs every few seconds, and must not read a table of millions each time. */
export async function readHealth(query: Query, schema: string): Promise<InboxHealth> {
  const [row] = await query(healthSql(schema), [])
  const { accepted, failed, dead, quarantined, done, estimate, waited } = row as Record<string, number>
  return {
    counts: {
      accepted: Number(accepted),
      failed: Number(failed),
      done: Math.max(Number(done), Number(estimate) - Number(accepted) - Number(failed) - Number(dead)),
      dead: Number(dead),
      quarantined: Number(quarantined),
    },
    oldestUnprocessedSeconds: Math.max(0, Number(waited)),
  }
}

const healthSql = (schema: string) => {
  const events = `${schema}.events`
  const count = (state: string) => `(SELECT count(*)::float8 FROM ${events} WHERE state = '${state}')`
  return `
WITH finished AS (SELECT count(*)::float8 AS done FROM (
  SELECT FROM ${events} WHERE state = 'done' LIMIT ${mostCounted + 1}) AS sample)
SELECT ${count('accepted')} AS accepted, ${count('failed')} AS failed, ${count('dead')} AS dead, done,
  CASE WHEN done <= ${mostCounted} THEN 0 ELSE
    (SELECT reltuples::float8 FROM pg_class WHERE oid = '${events}'::regclass) END AS estimate,
  (SELECT count(*)::float8 FROM ${schema}.quarantine) AS quarantined,
  coalesce(extract(epoch FROM now() - ${waitingSince(schema, 'true')}), 0)::float8 AS waited
FROM finished`
}
