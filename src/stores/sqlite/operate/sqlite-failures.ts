import type { Code } from '../../../codes.js'
import { groupChanged } from '../../../store/changed.js'
import {
  type FailureGroup,
  type FailureLog,
  failedAgain,
  type GroupQuery,
  type GroupState,
  groupActions,
  groupId,
  isAlwaysKept,
  mostCounted,
  mostGroups,
  otherCause,
  readTypes,
  secondsBetweenNotes,
  withType,
} from '../../../store/failure-log.js'
import type { FailureCause } from '../../../store/fingerprint.js'
import { isUnchanged } from '../../../store/seen-changes.js'
import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase, SqliteValue } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'
import { type AttemptRow, attemptColumns, type NotedBy, withFailure } from '../events/sqlite-attempts.js'
import { recordAudit } from './sqlite-audits.js'

const groups = 'webhook_inbox_failure_groups'

const columns = [
  ...['id', 'endpoint', 'title', 'place', 'types', 'example'].map(asBytes),
  'code, state, changes, first_seen_at, last_seen_at',
].join(', ')

const seen = `SELECT state, last_seen_at, ${asBytes('types')} FROM ${groups} WHERE id = ?`

const refresh = `
  UPDATE ${groups} SET last_seen_at = ?, types = ?, example = ?,
    changes = changes + CASE state WHEN 'resolved' THEN 1 ELSE 0 END,
    state = CASE state WHEN 'resolved' THEN 'open' ELSE state END WHERE id = ?`

const isFull = `SELECT 1 FROM ${groups} WHERE endpoint = ? LIMIT 1 OFFSET ?`

const insert = `
  INSERT INTO ${groups} (id, endpoint, code, title, place, types, first_seen_at, last_seen_at, example)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

const failed = `
  SELECT ${['endpoint', 'type', 'id'].map(asBytes).join(', ')}, ${attemptColumns} FROM webhook_inbox_events WHERE key = ?`

const join =
  'UPDATE webhook_inbox_events SET failure_group = ?, attempts = coalesce(?, attempts) WHERE key = ?'

/** What failed. */
interface Failed {
  readonly endpoint: string
  readonly type?: string
  /** The id of the event, or the key of the quarantined delivery. */
  readonly example: string
}

type Text = Uint8Array | ArrayBuffer

/** Records a failure with this cause; returns the id of its group. Call it only in `write`. */
export function noteGroup<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  what: Failed,
  cause: FailureCause,
): string {
  const { endpoint, type, example } = what
  const id = groupId(endpoint, cause)
  const now = Date.now()
  const [row] = connection.all<{ state: GroupState; last_seen_at: number; types: Text }>(seen, id)
  if (!row) {
    const hasRoom = isAlwaysKept(cause) || connection.all(isFull, endpoint, mostGroups - 1).length === 0
    if (!hasRoom) {
      return noteGroup(connection, what, otherCause)
    }
    const types = JSON.stringify(type === undefined ? [] : [type])
    const { code = null, title, place = null } = cause
    connection.run(insert, id, endpoint, code, title, place, types, now, now, example)
    return id
  }
  const types = readTypes(text(row.types))
  const more = withType(types, type)
  // A group must be updated even if the clock was set back.
  const isRecent = Math.abs(now - Number(row.last_seen_at)) < secondsBetweenNotes * 1000
  if (more || row.state === 'resolved' || !isRecent) {
    connection.run(refresh, now, JSON.stringify(more ?? types), example, id)
  }
  if (row.state === 'resolved') {
    recordAudit(connection, { action: groupActions.open, endpoint, subject: id, ...failedAgain })
  }
  return id
}

/** Adds a failed event to the group of its cause, and keeps the attempt, except if an operator gave it up. Call it only in `write`. */
export function joinGroup<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  key: string,
  cause: FailureCause,
  by: NotedBy | 'operator',
): void {
  const [row] = connection.all<FailedRow>(failed, key)
  if (row) {
    const what = { endpoint: text(row.endpoint), type: text(row.type), example: text(row.id) }
    const group = noteGroup(connection, what, cause)
    connection.run(join, group, by === 'operator' ? null : withFailure(row, group, by), key)
  }
}

type FailedRow = Record<'endpoint' | 'type' | 'id', Text> & AttemptRow

interface GroupRow {
  readonly id: Text
  readonly endpoint: Text
  readonly code: Code | null
  readonly title: Text
  readonly place: Text | null
  readonly types: Text
  readonly example: Text
  readonly state: GroupState
  readonly changes: number | bigint
  readonly first_seen_at: number
  readonly last_seen_at: number
}

const countEvents = (state: string) => `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM webhook_inbox_events WHERE failure_group = ? AND state = '${state}' LIMIT ?)`

const countQuarantined = `
  SELECT count(*) AS n FROM (SELECT 1 FROM webhook_inbox_quarantine WHERE endpoint = ? AND code = ? LIMIT ?)`

const newest = (state: string) => `
  SELECT ${asBytes('id')} FROM webhook_inbox_events WHERE failure_group = ? AND state = '${state}'
  ORDER BY received_at DESC, seq DESC LIMIT 1`

const holdsNothing = `
  NOT EXISTS (SELECT 1 FROM webhook_inbox_events AS e WHERE e.failure_group = g.id AND e.state IN ('failed', 'dead'))
  AND NOT EXISTS (SELECT 1 FROM webhook_inbox_quarantine AS q
    WHERE q.endpoint = g.endpoint AND q.code = g.code AND g.id = g.endpoint || ':' || g.code)`

const prune = `
  DELETE FROM ${groups} WHERE id IN (SELECT id FROM ${groups} AS g WHERE last_seen_at < ? AND ${holdsNothing} LIMIT ?)`

export function sqliteFailures<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): FailureLog {
  function list({ endpoint, state, limit = 100, after, empty = false }: GroupQuery): GroupRow[] {
    const mine = endpoint === undefined ? [] : [endpoint]
    const isMine = endpoint === undefined ? 'true' : 'endpoint = ?'
    const where = [isMine]
    const values: SqliteValue[] = [...mine]
    if (state !== undefined) {
      where.push('state = ?')
      values.push(state)
    }
    if (after !== undefined) {
      where.push(`(last_seen_at, id) < (SELECT last_seen_at, id FROM ${groups} WHERE id = ? AND ${isMine})`)
      values.push(after, ...mine)
    }
    if (!empty) {
      where.push(`NOT (${holdsNothing})`)
    }
    const sql = `SELECT ${columns} FROM ${groups} AS g WHERE ${where.join(' AND ')} ORDER BY last_seen_at DESC, g.id DESC LIMIT ?`
    return connection.all<GroupRow>(sql, ...values, limit)
  }

  function toGroup(row: GroupRow, most: number): FailureGroup {
    const [group, endpoint] = [text(row.id), text(row.endpoint)]
    const count = (sql: string, ...values: SqliteValue[]) =>
      Number(connection.all<{ n: number }>(sql, ...values, most)[0]?.n)
    const [dead, failed] = [count(countEvents('dead'), group), count(countEvents('failed'), group)]
    const isOfCode = row.code !== null && group === groupId(endpoint, { fingerprint: row.code })
    const quarantined = isOfCode ? count(countQuarantined, endpoint, row.code) : 0
    const [example] = [newest('dead'), newest('failed')].flatMap((sql) =>
      connection.all<{ id: Text }>(sql, group),
    )
    return {
      group,
      endpoint,
      ...(row.code !== null && { code: row.code }),
      title: text(row.title),
      ...(row.place !== null && { place: text(row.place) }),
      state: row.state,
      changes: Number(row.changes),
      count: dead + failed + quarantined,
      dead,
      failed,
      quarantined,
      isCapped: Math.max(dead, failed, quarantined) >= most,
      types: readTypes(text(row.types)),
      firstSeenAt: time(row.first_seen_at),
      lastSeenAt: time(row.last_seen_at),
      example: text(example?.id ?? row.example),
    }
  }

  return {
    groups: (query) =>
      connection.read('list the failures', () => {
        const found = list(query)
        const most = Math.ceil(mostCounted / Math.max(1, found.length))
        return found.map((row) => toGroup(row, most))
      }),

    async setState(endpoint, group, state, { reason, actor }, seen) {
      const outcome = await connection.writeSteps('change a group of failures', () => {
        const find = `SELECT state, changes FROM ${groups} WHERE id = ? AND endpoint = ?`
        const [row] = connection.all<Pick<GroupRow, 'state' | 'changes'>>(find, group, endpoint)
        if (row && seen && !isUnchanged(seen, row)) {
          return 'changed'
        }
        if (!row || row.state === state) {
          return row !== undefined
        }
        connection.run(`UPDATE ${groups} SET state = ?, changes = changes + 1 WHERE id = ?`, state, group)
        recordAudit(connection, { action: groupActions[state], endpoint, subject: group, reason, actor })
        return true
      })
      if (outcome === 'changed') {
        throw groupChanged()
      }
      return outcome
    },

    prune: (unseenSeconds, limit) =>
      connection.write('prune the failures', () =>
        connection.run(prune, Date.now() - milliseconds(unseenSeconds), limit),
      ),
  }
}
