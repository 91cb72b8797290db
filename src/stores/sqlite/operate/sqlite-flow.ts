import { pauseChanged } from '../../../store/changed.js'
import {
  type FlowStore,
  type Holds,
  kindOf,
  type Pause,
  type PauseKind,
  type PauseTarget,
  type SeenWorker,
  subjectOf,
  targetOf,
} from '../../../store/flow-store.js'
import type { Audit } from '../../../store/inbox.js'
import { plainReason } from '../../../store/reason.js'
import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'
import { recordAudit } from './sqlite-audits.js'
import { circuitsOf, sqliteCircuits } from './sqlite-circuits.js'
import { noteVersion, versionsOf } from './sqlite-program-versions.js'

const pause = `
  INSERT INTO webhook_inbox_pauses (endpoint, kind, name, reason, actor, paused_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (endpoint, kind, name) DO NOTHING`

const isTarget = 'endpoint = ? AND kind = ? AND name = ?'
const pausedSince = `SELECT paused_at FROM webhook_inbox_pauses WHERE ${isTarget}`
const resume = `DELETE FROM webhook_inbox_pauses WHERE ${isTarget}`

const paused = (when: string) => `
  SELECT ${['endpoint', 'name', 'reason', 'actor'].map(asBytes).join(', ')}, kind, paused_at
  FROM webhook_inbox_pauses ${when} ORDER BY seq`

const beat = `
  INSERT INTO webhook_inbox_workers (endpoint, id, process, version, limited, started_at, seen_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (endpoint, id) DO UPDATE SET limited = excluded.limited, seen_at = excluded.seen_at`
const openRun = `
  SELECT 1 FROM webhook_inbox_runs AS r JOIN webhook_inbox_plans AS p ON p.id = r.plan
  WHERE r.state IN ('running', 'canary') AND p.endpoint = ? LIMIT 1`
const isBeating = 'SELECT 1 FROM webhook_inbox_workers WHERE endpoint = ? AND id = ?'
const forgetWorkers = 'DELETE FROM webhook_inbox_workers WHERE seen_at < ?'
const leave = 'DELETE FROM webhook_inbox_workers WHERE endpoint = ? AND id = ?'

const workers = `
  SELECT ${['endpoint', 'id', 'process', 'version', 'limited'].map(asBytes).join(', ')}, started_at, seen_at
  FROM webhook_inbox_workers WHERE endpoint = ? AND seen_at > ? ORDER BY started_at, id`

// A token ends with its time. One of an earlier version ends with a hyphen and 12 hex digits.
const claim = `
  SELECT min(lease_until, ? + lease_span) AS lease_until, substr(token, -13) AS started_at FROM webhook_inbox_events
  WHERE key = ? AND state <> 'done' AND lease_until > ?`

const quarantineCode = (column: 'event_id' | 'content_hash') => `
  SELECT code FROM webhook_inbox_quarantine WHERE endpoint = ? AND ${column} = ? ORDER BY seq DESC LIMIT 1`

interface PauseRow {
  readonly endpoint: Uint8Array
  readonly kind: PauseKind
  readonly name: Uint8Array
  readonly reason: Uint8Array
  readonly actor: Uint8Array
  readonly paused_at: number
}

type WorkerRow = Readonly<Record<'endpoint' | 'id' | 'process' | 'version' | 'limited', Uint8Array>> &
  Readonly<Record<'started_at' | 'seen_at', number>>

const day = 86_400_000

/** The pauses and circuits, and the processes that run events, by the clock of this host. */
export function sqliteFlow<Database extends SqliteDatabase>(connection: Connection<Database>): FlowStore {
  const circuits = sqliteCircuits(connection)

  const pausesOf = (endpoint: string | undefined): Pause[] => {
    const [when, values] = endpoint === undefined ? ['', []] : ['WHERE endpoint = ?', [endpoint]]
    return connection.all<PauseRow>(paused(when), ...values).map(toPause)
  }

  const holdsOf = (endpoint: string): Holds => {
    return { pauses: pausesOf(endpoint), circuits: circuitsOf(connection, endpoint) }
  }

  /** Resolves to whether anything changed. */
  const changePause = (
    action: 'pause' | 'resume',
    target: PauseTarget,
    audit: Audit,
    change: (place: readonly [string, string, string]) => number,
  ) =>
    connection.writeSteps(action, () => {
      const { endpoint } = target
      const { kind, name } = kindOf(target)
      if (change([endpoint, kind, name]) === 0) {
        return false
      }
      recordAudit(connection, { action, endpoint, ...subjectOf(target), ...audit })
      return true
    })

  return {
    pause: (target, audit) =>
      changePause('pause', target, audit, (place) => {
        const why = [plainReason(audit.reason), plainReason(audit.actor)]
        return connection.run(pause, ...place, ...why, Date.now())
      }),

    async resume(target, audit, seen) {
      let isAnother = false
      const isChanged = await changePause('resume', target, audit, (place) => {
        const [found] = connection.all<{ paused_at: number }>(pausedSince, ...place)
        isAnother = Boolean(seen && found && time(found.paused_at) !== seen.pausedAt)
        return isAnother ? 0 : connection.run(resume, ...place)
      })
      if (isAnother) {
        throw pauseChanged()
      }
      return isChanged
    },

    paused: ({ endpoint }) => connection.read('list what is paused', () => pausesOf(endpoint)),

    holds: (endpoint) => connection.read('look what is held back', () => holdsOf(endpoint)),

    ...circuits,

    beat: ({ endpoint, id, process, version, limited }) =>
      connection.writeSteps('note a worker', () => {
        const now = Date.now()
        if (connection.all(isBeating, endpoint, id).length === 0) {
          noteVersion(connection, endpoint, version, now)
        }
        connection.run(beat, endpoint, id, process, version, JSON.stringify(limited), now, now)
        connection.run(forgetWorkers, now - day)
        return { ...holdsOf(endpoint), hasOpenRun: connection.all(openRun, endpoint).length > 0 }
      }),

    async leave(endpoint, id) {
      await connection.write('forget a worker', () => connection.run(leave, endpoint, id))
    },

    workers: (endpoint, withinSeconds) =>
      connection.read('list workers', () =>
        connection
          .all<WorkerRow>(workers, endpoint, Date.now() - milliseconds(withinSeconds))
          .map(toSeenWorker),
      ),

    checkReports: () => connection.write('look whether a process can report', () => {}),

    versions: (endpoint) => connection.read('list versions', () => versionsOf(connection, endpoint)),

    claimOf: (key) =>
      connection.read('read a claim', () => {
        const now = Date.now()
        const [row] = connection.all<{ lease_until: number; started_at: string }>(claim, now, key, now)
        return row
          ? {
              state: 'running',
              since: row.started_at > '0' ? time(+row.started_at) : undefined,
              until: time(row.lease_until),
            }
          : { state: 'free' }
      }),

    quarantineCode: (endpoint, of) =>
      connection.read('look in the quarantine', () => {
        const [sql, value] =
          'eventId' in of
            ? [quarantineCode('event_id'), of.eventId]
            : [quarantineCode('content_hash'), of.bodyHash]
        return connection.all<{ code: string }>(sql, endpoint, value)[0]?.code
      }),
  }
}

const toPause = ({ endpoint, kind, name, reason, actor, paused_at }: PauseRow): Pause => ({
  ...targetOf(text(endpoint), kind, text(name)),
  reason: text(reason),
  actor: text(actor),
  pausedAt: time(paused_at),
})

const toSeenWorker = (row: WorkerRow): SeenWorker => ({
  endpoint: text(row.endpoint),
  id: text(row.id),
  process: text(row.process),
  version: text(row.version),
  limited: JSON.parse(text(row.limited)),
  startedAt: time(row.started_at),
  seenAt: time(row.seen_at),
  silentSeconds: (Date.now() - Number(row.seen_at)) / 1000,
})
