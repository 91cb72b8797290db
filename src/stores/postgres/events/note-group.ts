import {
  failedAgain,
  groupActions,
  groupId,
  isAlwaysKept,
  mostGroups,
  otherCause,
  readTypes,
  secondsBetweenNotes,
  withType,
} from '../../../store/failure-log.js'
import type { FailureCause } from '../../../store/fingerprint.js'
import { plainReason } from '../../../store/reason.js'
import type { Query, Row } from '../connection/transactions.js'

/** What failed. */
interface Failed {
  readonly endpoint: string
  readonly type?: string
  /** The id of the event, or the key of the quarantined delivery. */
  readonly example: string
}

/**
 * Records a failure with this cause, in the transaction of the failure. Resolves to the id of its group. The row of a group is
 * written rarely, and never while another transaction writes it, so that failures do not wait for each other.
 */
export async function noteGroup(
  query: Query,
  schema: string,
  what: Failed,
  cause: FailureCause,
): Promise<string> {
  const { endpoint, type, example } = what
  const id = groupId(endpoint, cause)
  const sql = noteStatements(schema)
  const [row] = await query(sql.seen, [id])
  if (row) {
    const types = readTypes(row.types)
    const more = withType(types, type)
    if (more || row.is_due) {
      const values = [id, JSON.stringify(more ?? types), plainReason(example)]
      await query(sql.refresh, [...values, groupActions.open, failedAgain.reason, failedAgain.actor])
    }
    return id
  }
  const { code = null, title, place = null } = cause
  const types = JSON.stringify(type === undefined ? [] : [type])
  const most = isAlwaysKept(cause) ? null : mostGroups
  const values = [id, endpoint, code, plainReason(title), place, types, plainReason(example), most]
  const [made] = await query(sql.insert, values)
  return made ? id : noteGroup(query, schema, what, otherCause)
}

/** Adds a failed event to the group of its cause. `row` is the result of the statement that changed the event. */
export async function joinGroup(
  query: Query,
  schema: string,
  key: string,
  { endpoint, type, id, failure_group }: Row,
  cause: FailureCause,
): Promise<void> {
  const group = await noteGroup(query, schema, { endpoint, type, example: id }, cause)
  if (group !== failure_group) {
    await query(
      `UPDATE ${schema}.events SET failure_group = $2::text,
  attempts = jsonb_set(attempts, '{-1,group}', to_jsonb($2::text)) WHERE key = $1::text`,
      [key, group],
    )
  }
}

/** The columns that a statement must return for {@link joinGroup}. */
export const failedColumns = (of = '') =>
  ['endpoint', 'type', 'id', 'failure_group'].map((column) => `${of}${column}`).join(', ')

const noteStatements = (schema: string) => ({
  /** `is_due` also if the clock was set back since. */
  seen: `
SELECT types, state = 'resolved'
  OR abs(extract(epoch FROM now() - last_seen_at)) >= ${secondsBetweenNotes} AS is_due
FROM ${schema}.failure_groups WHERE id = $1::text`,

  /** `$2` types, `$3` an example. `$4` to `$6` the audit, if it opens a resolved group. */
  refresh: `
WITH before AS (
  SELECT id, endpoint, state FROM ${schema}.failure_groups WHERE id = $1::text FOR NO KEY UPDATE SKIP LOCKED
), refreshed AS (
  UPDATE ${schema}.failure_groups AS g SET last_seen_at = now(), types = $2::text, example = $3::text,
    state = CASE g.state WHEN 'resolved' THEN 'open' ELSE g.state END,
    changes = g.changes + CASE g.state WHEN 'resolved' THEN 1 ELSE 0 END
  FROM before WHERE g.id = before.id
)
INSERT INTO ${schema}.audits (action, endpoint, subject, reason, actor)
SELECT $4::text, endpoint, id, $5::text, $6::text FROM before WHERE state = 'resolved'`,

  /** `$8` how many groups the endpoint may have, or null. Returns nothing if the endpoint has that many. */
  insert: `
INSERT INTO ${schema}.failure_groups (id, endpoint, code, title, place, types, example)
SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text
WHERE $8::int IS NULL OR (SELECT count(*) FROM (
  SELECT FROM ${schema}.failure_groups WHERE endpoint = $2::text LIMIT $8::int) AS kept) < $8::int
ON CONFLICT (id) DO UPDATE SET last_seen_at = now() RETURNING id`,
})
