import {
  type Circuit,
  type FlowStore,
  type Holds,
  kindOf,
  mostCircuits,
  type Pause,
  type PauseKind,
  type PauseTarget,
  type SeenWorker,
  subjectOf,
  targetOf,
} from '../../store/flow-store.js'
import type { Audit } from '../../store/inbox.js'
import { plainReason } from '../../store/reason.js'
import type { Connection } from './connection.js'
import { asBytes, text } from './event-row.js'
import { milliseconds } from './milliseconds.js'
import { recordAudit } from './sqlite-audits.js'
import type { SqliteDatabase } from './sqlite-database.js'
import { noteVersion, versionsOf } from './sqlite-versions.js'

const pause = `
  INSERT INTO webhook_inbox_pauses (endpoint, kind, name, reason, actor, paused_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (endpoint, kind, name) DO NOTHING`

const resume = 'DELETE FROM webhook_inbox_pauses WHERE endpoint = ? AND kind = ? AND name = ?'

const paused = (when: string) => `
  SELECT ${['endpoint', 'name', 'reason', 'actor'].map(asBytes).join(', ')}, kind, paused_at
  FROM webhook_inbox_pauses ${when} ORDER BY seq`

const circuits = `
  SELECT ${['type', 'fingerprint'].map(asBytes).join(', ')}, failures, retry_at, trial_until
  FROM webhook_inbox_circuits WHERE endpoint = ?`

const failuresOf = `
  SELECT failures, retry_at, ${asBytes('fingerprint')} FROM webhook_inbox_circuits WHERE endpoint = ? AND type = ?`

const keepFailures = `
  INSERT INTO webhook_inbox_circuits (endpoint, type, fingerprint, failures, retry_at, counted_at)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (endpoint, type) DO UPDATE SET fingerprint = excluded.fingerprint, failures = excluded.failures,
    retry_at = excluded.retry_at, counted_at = excluded.counted_at, trial_until = 0`

const countCircuits = 'SELECT count(*) AS n FROM webhook_inbox_circuits WHERE endpoint = ?'
const forgetCircuits = `
  DELETE FROM webhook_inbox_circuits
  WHERE endpoint = ? AND (retry_at IS NULL OR (retry_at <= ? AND trial_until <= ?))`

const pruneCircuits = `
  DELETE FROM webhook_inbox_circuits
  WHERE counted_at <= ? AND (retry_at IS NULL OR (retry_at <= ? AND trial_until <= ?))`

const isOpen = 'SELECT 1 FROM webhook_inbox_circuits WHERE endpoint = ? AND type = ? AND retry_at IS NOT NULL'
const closeCircuit = 'DELETE FROM webhook_inbox_circuits WHERE endpoint = ? AND type = ?'

const startTrial = `
  UPDATE webhook_inbox_circuits SET trial_until = ?
  WHERE endpoint = ? AND type = ? AND retry_at <= ? AND trial_until <= ?`

const beat = `
  INSERT INTO webhook_inbox_workers (endpoint, id, process, version, limited, started_at, seen_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (endpoint, id) DO UPDATE SET limited = excluded.limited, seen_at = excluded.seen_at`
const isBeating = 'SELECT 1 FROM webhook_inbox_workers WHERE endpoint = ? AND id = ?'
const forgetWorkers = 'DELETE FROM webhook_inbox_workers WHERE seen_at < ?'
const leave = 'DELETE FROM webhook_inbox_workers WHERE endpoint = ? AND id = ?'

const workers = `
  SELECT ${['endpoint', 'id', 'process', 'version', 'limited'].map(asBytes).join(', ')}, started_at, seen_at
  FROM webhook_inbox_workers WHERE endpoint = ? AND seen_at > ? ORDER BY started_at, id`

const claim = `
  SELECT lease_until FROM webhook_inbox_events
  WHERE key = ? AND state <> 'done' AND lease_until > ? AND lease_until <= ? + lease_span`

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

interface CircuitRow {
  readonly type: Uint8Array
  readonly fingerprint: Uint8Array
  readonly failures: number
  readonly retry_at: number | null
  readonly trial_until: number
}

type WorkerRow = Readonly<Record<'endpoint' | 'id' | 'process' | 'version' | 'limited', Uint8Array>> &
  Readonly<Record<'started_at' | 'seen_at', number>>

const day = 86_400_000

/** What holds events back, and who runs them, by the clock of this host. */
export function sqliteFlow<Database extends SqliteDatabase>(connection: Connection<Database>): FlowStore {
  const pausesOf = (endpoint: string | undefined): Pause[] => {
    const [when, values] = endpoint === undefined ? ['', []] : ['WHERE endpoint = ?', [endpoint]]
    return connection.all<PauseRow>(paused(when), ...values).map(toPause)
  }

  const holdsOf = (endpoint: string): Holds => {
    const now = Date.now()
    const found = connection.all<CircuitRow>(circuits, endpoint)
    return { pauses: pausesOf(endpoint), circuits: found.map((row) => toCircuit(row, now)) }
  }

  /** Whether one more type can be counted. Forgets what holds nothing back, where it must. */
  function hasRoom(endpoint: string): boolean {
    const isFull = () => Number(connection.all<{ n: number }>(countCircuits, endpoint)[0]?.n) >= mostCircuits
    if (isFull()) {
      const now = Date.now()
      connection.run(forgetCircuits, endpoint, now, now)
    }
    return !isFull()
  }

  /** Resolves to whether anything changed. */
  const changePause = (
    action: 'pause' | 'resume',
    target: PauseTarget,
    audit: Audit,
    change: (place: readonly [string, string, string]) => number,
  ) =>
    connection.write(
      action,
      () => {
        const { endpoint } = target
        const { kind, name } = kindOf(target)
        if (change([endpoint, kind, name]) === 0) {
          return false
        }
        recordAudit(connection, { action, endpoint, ...subjectOf(target), ...audit })
        return true
      },
      { hasSeveralSteps: true },
    )

  return {
    pause: (target, audit) =>
      changePause('pause', target, audit, (place) => {
        const why = [plainReason(audit.reason), plainReason(audit.actor)]
        return connection.run(pause, ...place, ...why, Date.now())
      }),

    resume: (target, audit) =>
      changePause('resume', target, audit, (place) => connection.run(resume, ...place)),

    paused: ({ endpoint }) => connection.read('list what is paused', () => pausesOf(endpoint)),

    holds: (endpoint) => connection.read('look what is held back', () => holdsOf(endpoint)),

    async countFailure(endpoint, type, fingerprint, { failures, retryAfterSeconds }) {
      await connection.write('count a failure', () => {
        const [row] = connection.all<CircuitRow>(failuresOf, endpoint, type)
        if (!row && !hasRoom(endpoint)) {
          return
        }
        const isSame = row !== undefined && text(row.fingerprint) === fingerprint
        const count = isSame ? Number(row.failures) + 1 : 1
        const isOpening = count >= failures || (row && row.retry_at !== null)
        const retryAt = isOpening ? Date.now() + milliseconds(retryAfterSeconds) : null
        connection.run(keepFailures, endpoint, type, fingerprint, count, retryAt, Date.now())
      })
    },

    closeCircuit: (endpoint, type) =>
      connection.write('close a circuit', () => {
        const wasOpen = connection.all(isOpen, endpoint, type).length > 0
        connection.run(closeCircuit, endpoint, type)
        return wasOpen
      }),

    pruneCircuits: (unusedSeconds) =>
      connection.write('prune circuits', () => {
        const now = Date.now()
        return connection.run(pruneCircuits, now - milliseconds(unusedSeconds), now, now)
      }),

    startTrial: (endpoint, type, seconds) =>
      connection.write('start a trial', () => {
        const now = Date.now()
        return connection.run(startTrial, now + milliseconds(seconds), endpoint, type, now, now) > 0
      }),

    beat: ({ endpoint, id, process, version, limited }) =>
      connection.write('note a worker', () => {
        const now = Date.now()
        if (connection.all(isBeating, endpoint, id).length === 0) {
          noteVersion(connection, endpoint, version, now)
        }
        connection.run(beat, endpoint, id, process, version, JSON.stringify(limited), now, now)
        connection.run(forgetWorkers, now - day)
        return holdsOf(endpoint)
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

    versions: (endpoint) => connection.read('list versions', () => versionsOf(connection, endpoint)),

    claimOf: (key) =>
      connection.read('look for a claim', () => {
        const now = Date.now()
        const [row] = connection.all<{ lease_until: number }>(claim, key, now, now)
        return row ? ({ state: 'running', until: time(row.lease_until) } as const) : { state: 'free' }
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

function toCircuit({ type, fingerprint, failures, retry_at, trial_until }: CircuitRow, now: number): Circuit {
  const isOnTrial = Number(trial_until) > now
  return {
    type: text(type),
    fingerprint: text(fingerprint),
    failures: Number(failures),
    ...(retry_at !== null && { retryAt: time(retry_at) }),
    isOnTrial,
    isHolding: retry_at !== null && (Number(retry_at) > now || isOnTrial),
  }
}

const toSeenWorker = (row: WorkerRow): SeenWorker => ({
  endpoint: text(row.endpoint),
  id: text(row.id),
  process: text(row.process),
  version: text(row.version),
  limited: JSON.parse(text(row.limited)),
  startedAt: time(row.started_at),
  seenAt: time(row.seen_at),
})

const time = (milliseconds: number) => new Date(Number(milliseconds)).toISOString()
