import { HandlerFailure } from '../../../errors.js'
import type { EventRef, SeenAttempt } from '../../../store/event-ref.js'
import { isUncounted } from '../../../store/failed-attempt.js'
import { fingerprintOf } from '../../../store/fingerprint.js'
import type { Claim, LeaseStore } from '../../../store/lease.js'
import { reasonOf } from '../../../store/reason.js'
import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { constraint, resultCode } from '../connection/sqlite-fault.js'
import { WriteList } from '../connection/tx.js'
import { joinGroup } from '../operate/sqlite-failures.js'
import { prune } from '../operate/sqlite-prune.js'
import { asBytes, text } from './event-row.js'
import { cutLateLease, cutLateLeasesOfResource } from './late-lease.js'
import { mayNotRun } from './resource-order.js'

interface Row {
  readonly state: string
  readonly queued: number
  readonly attempt: number
  readonly generation: number
  readonly failures: number
  readonly due_at: number
  readonly token: string | null
  readonly lease_until: number
  readonly lease_span: number
  readonly is_ordered: number
  readonly content_hash: Uint8Array
}

const find = `
  SELECT state, queued, attempt, generation, failures, due_at, token, lease_until, lease_span, resource IS NOT NULL AS is_ordered,
    ${asBytes('content_hash')}
  FROM webhook_inbox_events WHERE key = ?`

const insert = `
  INSERT INTO webhook_inbox_events (state, queued, attempt, key, token, lease_until, lease_span, received_at, due_at,
    endpoint, id, type, created_at, content_hash, body) VALUES ('claimed', 0, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const claimAgain = `
  UPDATE webhook_inbox_events SET token = ?, attempt = ?, lease_until = ?, lease_span = ? WHERE key = ?`

// The last error is that of the content before.
const claimAnew = `
  UPDATE webhook_inbox_events SET token = ?, attempt = ?, lease_until = ?, lease_span = ?, endpoint = ?, id = ?,
    type = ?, created_at = ?, content_hash = ?, body = ?, last_error = NULL, failure_group = NULL WHERE key = ?`

const extend = `
  UPDATE webhook_inbox_events SET lease_until = ?, lease_span = ? WHERE key = ? AND token = ? AND state <> 'done'`

// The token stays, so that a repeated complete is recognized.
const complete = `
  UPDATE webhook_inbox_events SET state = 'done', done_at = ?, forget_at = ?, content_hash = ?, lease_until = 0,
    last_error = NULL, failure_group = NULL WHERE key = ? AND token = ? AND state <> 'done'`

// A later time that a queue has set is kept. An event of a queue that failed is due when its lease would have ended: the queue
// decides on its next attempt, and no other worker may run it before.
const release = `
  UPDATE webhook_inbox_events SET token = NULL, lease_until = 0, last_error = ?,
    scheduled_at = CASE WHEN due_at > ? THEN scheduled_at ELSE ? END, due_at = max(due_at, ? + queued * ? * lease_span),
    state = CASE state WHEN 'dead' THEN 'dead' ELSE 'failed' END WHERE key = ? AND token = ? AND state <> 'done'`

/** The columns of a row if a claim had no event. */
const unknown = { endpoint: '', id: '', type: '', createdAt: '', contentHash: '', body: new Uint8Array() }

type Content = Pick<EventRef, keyof typeof unknown | 'isKept' | 'seen'>

/** The methods of a lease store. They use the clock of this host, because every process that uses the file runs on it. */
export function sqliteLeases<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): Omit<LeaseStore<WriteList<Database>>, 'check' | 'close'> {
  // With the time, so that an operator sees since when it runs.
  const newToken = (attempt: number) => `${attempt}:${crypto.randomUUID()}:${Date.now()}`

  /** Runs within a transaction, so what it reads stays true until it has written. */
  function claim(key: string, span: number, content: Content): Claim {
    const now = Date.now()
    const [row] = connection.all<Row>(find, key)
    if (!row && content.isKept) {
      return { state: 'blocked' }
    }
    if (!row) {
      const token = newToken(1)
      const times = [now + span, span, now, now]
      connection.run(insert, key, token, ...times, ...valuesOf(content))
      return { state: 'claimed', token, attempt: 1 }
    }
    if (row.state === 'done') {
      return { state: 'done', contentHash: text(row.content_hash) }
    }
    if (row.state === 'dead') {
      return { state: 'blocked' }
    }
    const keptHash = text(row.content_hash)
    // An event with other content was acknowledged under this id. So this is a different event, even if the first one is not
    // done.
    if (row.queued && content !== unknown && keptHash !== content.contentHash) {
      return { state: 'done', contentHash: keptHash }
    }

    const remaining = remainingLease(key, row, now)
    if (remaining > 0) {
      return { state: 'leased', remainingSeconds: remaining / 1000 }
    }
    if (content.seen && !isAsFound(content.seen, row, now)) {
      return { state: 'blocked' }
    }
    if (row.is_ordered && connection.all(mayNotRun, key, now).length > 0) {
      cutLateLeasesOfResource(connection, key, now)
      return { state: 'blocked' }
    }
    const attempt = Number(row.attempt) + 1
    const token = newToken(attempt)
    const values = [token, attempt, now + span, span] as const
    // A queue runs the accepted content. Any other event gets the content of the last claim.
    if (row.queued || keptHash === content.contentHash) {
      connection.run(claimAgain, ...values, key)
    } else {
      connection.run(claimAnew, ...values, ...valuesOf(content), key)
    }
    return { state: 'claimed', token, attempt }
  }

  function remainingLease(key: string, row: Row, now: number): number {
    const remaining = Number(row.lease_until) - now
    const span = Number(row.lease_span)
    if (remaining <= span) {
      return remaining
    }
    cutLateLease(connection, key, now)
    return span
  }

  return {
    begin: () => new WriteList<Database>(),

    claim: (key, leaseSeconds, event) =>
      connection.write('claim an event', () => claim(key, milliseconds(leaseSeconds), event ?? unknown)),

    extend: (key, token, leaseSeconds) =>
      connection.write('extend a claim', () => {
        const span = milliseconds(leaseSeconds)
        return connection.run(extend, Date.now() + span, span, key, token) > 0
      }),

    complete(key, token, contentHash, retentionSeconds, tx) {
      const hasWrites = tx?.seal() ?? false
      function mark(): boolean {
        const now = Date.now()
        const forgetAt = now + milliseconds(retentionSeconds)
        if (connection.run(complete, now, forgetAt, contentHash, key, token) === 0) {
          const [row] = connection.all<Row>(find, key)
          return row?.state === 'done' && row.token === token
        }
        return true
      }
      // The mark comes last. A write that ends the transaction commits what came before it.
      function writeAndMark(database: Database): boolean {
        const [row] = connection.all<Row>(find, key)
        if (row?.token === token && row.state !== 'done') {
          connection.runApart(() => tx?.run(database))
        }
        return mark()
      }
      return connection.write('mark an event done', hasWrites ? writeAndMark : mark, {
        hasSeveralSteps: hasWrites,
        toOthers: (error) => (hasWrites ? toHandlerFailure(error) : undefined),
      })
    },

    async release(key, token, error) {
      const reason = error === undefined ? null : reasonOf(error)
      const cause = error === undefined ? undefined : await fingerprintOf(error)
      function free() {
        const now = Date.now()
        const isFreed = connection.run(release, reason, now, now, now, cause ? 1 : 0, key, token) > 0
        if (isFreed && cause) {
          joinGroup(connection, key, cause, isUncounted(error) ? 'uncounted' : 'once')
        }
        return isFreed
      }
      return connection.writeSteps('release a claim', free)
    },

    prune: (doneBefore, limit) => prune(connection, doneBefore, limit),
  }
}

/** In the order in which every statement here names them. */
export const valuesOf = ({ endpoint, id, type, createdAt, contentHash, body }: Content) =>
  [endpoint, id, type, createdAt, contentHash, body] as const

/**
 * Whether an event is as a worker found it. A claim counts from its beginning, so a worker that read the event under a claim
 * which then failed sees a change only in the time when the event is due.
 */
function isAsFound(
  { attempt, generation, failures, retryAt = '' }: SeenAttempt,
  row: Row,
  now: number,
): boolean {
  const isSame =
    attempt === Number(row.attempt) &&
    generation === Number(row.generation) &&
    failures === Number(row.failures)
  const dueAt = Number(row.due_at)
  return isSame && (row.state !== 'failed' || dueAt <= now || dueAt === Date.parse(retryAt))
}

/** A constraint that only the commit checks was violated by the writes of the handler. */
function toHandlerFailure(error: unknown): HandlerFailure | undefined {
  const isRefused = resultCode(error) === constraint
  return error instanceof HandlerFailure ? error : isRefused ? new HandlerFailure(error) : undefined
}
