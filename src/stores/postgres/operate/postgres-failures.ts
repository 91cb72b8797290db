import { groupChanged } from '../../../store/changed.js'
import {
  type FailureGroup,
  type FailureLog,
  type GroupQuery,
  groupActions,
  mostCounted,
  readTypes,
  type SeenGroup,
} from '../../../store/failure-log.js'
import { isUnchanged } from '../../../store/seen-changes.js'
import { withFault } from '../connection/postgres-fault.js'
import { timeColumn } from '../connection/time-column.js'
import { type Database, type Row, reading, shortly } from '../connection/transactions.js'
import { recordAudit } from './postgres-audits.js'

/** The failures by their cause. */
export function postgresFailures(database: Database<unknown>, schema: string): FailureLog {
  const groups = `${schema}.failure_groups`

  return {
    groups: (query) =>
      withFault('list the failures', async () => {
        const { text, values } = listSql(schema, query)
        return (await database.ask(reading, { text, values })).map(toGroup)
      }),

    setState: (endpoint, group, state, { reason, actor }, seen) =>
      withFault('change a group of failures', () =>
        database.transaction(shortly, async ({ query }) => {
          const find = `SELECT state, changes FROM ${groups} WHERE id = $1::text AND endpoint = $2::text FOR UPDATE`
          const [row] = await query(find, [group, endpoint])
          if (row && seen && !isUnchanged(seen, row as SeenGroup)) {
            throw groupChanged()
          }
          if (!row || row.state === state) {
            return row !== undefined
          }
          await query(`UPDATE ${groups} SET state = $1::text, changes = changes + 1 WHERE id = $2::text`, [
            state,
            group,
          ])
          const action = groupActions[state]
          await recordAudit(query, schema, { action, endpoint, subject: group, reason, actor })
          return true
        }),
      ),

    prune: (unseenSeconds, limit) =>
      withFault('prune the failures', async () => {
        const gone = await database.transaction(shortly, ({ query }) =>
          query(pruneSql(schema), [unseenSeconds, limit]),
        )
        return gone.length
      }),
  }
}

/** The count of each group stops at a limit. All groups of the page share the limit. */
function listSql(schema: string, { endpoint, state, limit = 100, after, empty = false }: GroupQuery) {
  const values: unknown[] = [limit]
  const where = ['true']
  const value = (value: unknown) => `$${values.push(value)}::text`
  const isMine = endpoint === undefined ? 'true' : `endpoint = ${value(endpoint)}`
  where.push(isMine)
  if (state !== undefined) {
    where.push(`state = ${value(state)}`)
  }
  if (after !== undefined) {
    const place = `SELECT last_seen_at, id FROM ${schema}.failure_groups WHERE id = ${value(after)} AND ${isMine}`
    where.push(`(last_seen_at, id) < (${place})`)
  }
  if (!empty) {
    where.push(`NOT (${holdsNothing(schema)})`)
  }
  const events = (columns: string, state: string) =>
    `SELECT ${columns} FROM ${schema}.events AS e WHERE e.failure_group = g.id AND e.state = '${state}'`
  const counted = (rows: string, name: string) =>
    `CROSS JOIN LATERAL (SELECT count(*)::int AS n FROM (${rows} LIMIT (SELECT most FROM share)) AS rows) AS ${name}`
  const newest = (state: string) =>
    `(${events('e.id', state)} ORDER BY e.received_at DESC, e.seq DESC LIMIT 1)`
  const text = `
WITH page AS (
  SELECT * FROM ${schema}.failure_groups AS g WHERE ${where.join(' AND ')}
  ORDER BY last_seen_at DESC, g.id DESC LIMIT $1::int
), share AS (SELECT ceil(${mostCounted}.0 / greatest(1, count(*)))::int AS most FROM page)
SELECT g.id AS group_id, g.endpoint, g.code, g.title, g.place, g.types, g.state, g.changes, ${timeColumn('g.first_seen_at')}, ${timeColumn('g.last_seen_at')},
  dead.n AS dead, failed.n AS failed, quarantined.n AS quarantined,
  greatest(dead.n, failed.n, quarantined.n) >= (SELECT most FROM share) AS is_capped,
  coalesce(${newest('dead')}, ${newest('failed')}, g.example) AS example
FROM page AS g
${counted(events('', 'dead'), 'dead')}
${counted(events('', 'failed'), 'failed')}
${counted(
  `SELECT FROM ${schema}.quarantine AS q
    WHERE g.id = g.endpoint || ':' || g.code AND q.endpoint = g.endpoint AND q.code = g.code`,
  'quarantined',
)}
ORDER BY g.last_seen_at DESC, g.id DESC`
  return { text, values }
}

const holdsNothing = (schema: string) => `
  NOT EXISTS (SELECT FROM ${schema}.events AS e WHERE e.failure_group = g.id AND e.state IN ('failed', 'dead'))
  AND NOT EXISTS (SELECT FROM ${schema}.quarantine AS q
    WHERE q.endpoint = g.endpoint AND q.code = g.code AND g.id = g.endpoint || ':' || g.code)`

const pruneSql = (schema: string) => `
DELETE FROM ${schema}.failure_groups WHERE id = ANY (ARRAY(
  SELECT id FROM ${schema}.failure_groups AS g
  WHERE g.last_seen_at < now() - make_interval(secs => $1::float8)
    AND ${holdsNothing(schema)}
  LIMIT $2::int
  FOR UPDATE SKIP LOCKED
)) RETURNING id`

const toGroup = (row: Row): FailureGroup => ({
  group: row.group_id,
  endpoint: row.endpoint,
  ...(row.code !== null && { code: row.code }),
  title: row.title,
  ...(row.place !== null && { place: row.place }),
  state: row.state,
  changes: row.changes,
  count: row.dead + row.failed + row.quarantined,
  dead: row.dead,
  failed: row.failed,
  quarantined: row.quarantined,
  isCapped: row.is_capped,
  types: readTypes(row.types),
  firstSeenAt: row.first_seen_at,
  lastSeenAt: row.last_seen_at,
  example: row.example,
})
