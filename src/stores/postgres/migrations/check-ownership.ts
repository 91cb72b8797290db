import { ConfigurationError } from '../../../errors.js'
import type { Query } from '../connection/transactions.js'

/**
 * Rejects tables that another role can change. Those are tables in a schema that another role created, and tables with
 * triggers or rules, which run with the rights of this program. Resolves to notes for the operator.
 */
export async function checkOwnership(query: Query, schema: string): Promise<readonly string[]> {
  const [facts] = await query(ownershipSql(schema), [])
  if (facts?.foreign_owner) {
    throw refused(
      `the schema ${schema} belongs to ${facts.foreign_owner}, who can replace its tables`,
      `ALTER SCHEMA ${schema} OWNER TO the owner of its tables`,
    )
  }
  if (facts?.other_tables) {
    throw refused(
      `${facts.other_tables} in ${schema} belong to another role than events`,
      'give all one owner',
    )
  }
  if (facts?.code) {
    throw refused(`${schema} has ${facts.code}, which this store did not create`, 'drop them')
  }
  return facts?.is_own ? [] : [`the tables belong to the role ${facts?.table_owner}`]
}

const refused = (fact: string, fix: string) =>
  new ConfigurationError('store_unsupported', `${fact}; fix: ${fix}`)

/** Every table of the migrations. A user may keep other tables in the schema. */
const tables = [
  ...['events', 'migrations', 'replays', 'quarantine', 'discards', 'discarded', 'audits', 'failure_groups'],
  ...['plans', 'plan_pages', 'runs', 'run_items', 'pauses', 'circuits', 'workers', 'version_starts'],
]

const tableList = tables.map((name) => `'${name}'`).join(', ')

/** A superuser and the owner of the database are trusted: they can do anything to the tables either way. */
const ownershipSql = (schema: string) => `
WITH ours AS (
  SELECT c.oid, c.relname, c.relowner FROM pg_class AS c
  WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname IN (${tableList})
), events AS (
  SELECT relowner FROM ours WHERE relname = 'events'
), code AS (
  SELECT 'the trigger ' || t.tgname || ' on ' || ours.relname AS what FROM pg_trigger AS t
  JOIN ours ON ours.oid = t.tgrelid WHERE NOT t.tgisinternal
  UNION ALL
  SELECT 'the rule ' || r.rulename || ' on ' || ours.relname FROM pg_rewrite AS r JOIN ours ON ours.oid = r.ev_class
)
SELECT pg_get_userbyid(events.relowner)::text AS table_owner,
  pg_get_userbyid(events.relowner) = current_user AS is_own,
  (SELECT string_agg(relname, ', ') FROM ours WHERE relowner <> events.relowner)::text AS other_tables,
  (SELECT string_agg(what, ', ') FROM code)::text AS code,
  CASE WHEN n.nspowner = events.relowner OR owner.rolsuper OR owner.rolname IN (current_user, 'pg_database_owner')
    OR n.nspowner = (SELECT datdba FROM pg_database WHERE datname = current_database())
    THEN NULL ELSE owner.rolname END::text AS foreign_owner
FROM events, pg_namespace AS n JOIN pg_roles AS owner ON owner.oid = n.nspowner
WHERE n.oid = '${schema}'::regnamespace`
