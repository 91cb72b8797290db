import { clockMarginSeconds } from '../../../store/due-bounds.js'
import { type Circuit, type FlowStore, mostCircuits } from '../../../store/flow-store.js'
import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'

const circuits = `
  SELECT ${['type', 'fingerprint'].map(asBytes).join(', ')}, failures, retry_at, trial_until, counted_at
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

// A count from the future means that the clock was ahead then, and the other times are not to be trusted.
const startTrial = `
  UPDATE webhook_inbox_circuits SET trial_until = ?, counted_at = ?, retry_at = min(retry_at, ?)
  WHERE endpoint = ? AND type = ? AND ((retry_at <= ? AND trial_until <= ?) OR (retry_at IS NOT NULL AND counted_at > ?))`

interface CircuitRow {
  readonly type: Uint8Array
  readonly fingerprint: Uint8Array
  readonly failures: number
  readonly retry_at: number | null
  readonly trial_until: number
  readonly counted_at: number
}

const clockMargin = clockMarginSeconds * 1000

type Circuits = Pick<FlowStore, 'countFailure' | 'closeCircuit' | 'pruneCircuits' | 'startTrial'>

/** Counts the failures of each type in a row, and holds a type back after too many. */
export function sqliteCircuits<Database extends SqliteDatabase>(connection: Connection<Database>): Circuits {
  /** Whether one more type can be counted. If necessary, deletes circuits that hold nothing back. */
  function hasRoom(endpoint: string): boolean {
    const isFull = () => Number(connection.all<{ n: number }>(countCircuits, endpoint)[0]?.n) >= mostCircuits
    if (isFull()) {
      const now = Date.now()
      connection.run(forgetCircuits, endpoint, now, now)
    }
    return !isFull()
  }

  return {
    async countFailure(endpoint, type, fingerprint, { failures, retryAfterSeconds }) {
      await connection.writeSteps('count a failure', () => {
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
        const values = [now + milliseconds(seconds), now, now, endpoint, type, now, now, now + clockMargin]
        return connection.run(startTrial, ...values) > 0
      }),
  }
}

/** The circuits of an endpoint, inside a transaction. */
export function circuitsOf<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  endpoint: string,
): Circuit[] {
  const now = Date.now()
  return connection.all<CircuitRow>(circuits, endpoint).map((row) => toCircuit(row, now))
}

function toCircuit(row: CircuitRow, now: number): Circuit {
  const { type, fingerprint, failures, retry_at, trial_until, counted_at } = row
  const isTrusted = Number(counted_at) <= now + clockMargin
  const isOnTrial = isTrusted && Number(trial_until) > now
  return {
    type: text(type),
    fingerprint: text(fingerprint),
    failures: Number(failures),
    ...(retry_at !== null && { retryAt: time(retry_at) }),
    isOnTrial,
    isHolding: retry_at !== null && ((isTrusted && Number(retry_at) > now) || isOnTrial),
  }
}
