import { fullMessage } from '../../../error-text.js'
import { ConfigurationError, StoreError, type StoreReason, WebhookInboxError } from '../../../errors.js'
import { Lapsed, NotCommitted } from './transactions.js'

/**
 * Whether the error comes from another transaction, so that a retry may succeed soon: lock_not_available,
 * serialization_failure, deadlock_detected. The code may be on the cause of what a driver or a handler threw. P2034 is
 * Prisma’s name for the latter two.
 */
export const isPassing = (error: unknown): boolean => passing.has(sqlState(error) ?? '')

const passing = new Set(['55P03', '40001', '40P01', 'P2034'])

/** The SQLSTATE of an error or of what caused it. Never throws, although a handler may throw an object that cannot be read. */
export function sqlState(error: unknown): string | undefined {
  try {
    return readState(error)
  } catch {
    return undefined
  }
}

function readState(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++) {
    const { code } = each as { code?: unknown }
    // Node’s own codes, such as EPIPE, begin with an E, and no SQLSTATE does.
    if (typeof code === 'string' && /^[0-9FHPX][0-9A-Z]{4}$/.test(code)) {
      return code
    }
  }
  return undefined
}

/**
 * Whether the connection can no longer be used. An error without an SQLSTATE, such as a time limit of the driver, did
 * not come from the server. After errors of these classes the server or a pooler hangs up.
 */
export function endsConnection(error: unknown): boolean {
  const state = sqlState(error)
  return state === undefined || /^(?:08|57P)/.test(state)
}

/**
 * Whether the server responded to COMMIT and rejected the writes of the transaction. Class 08 means it was cut off,
 * 53 out of resources, 57 shutting down. Prisma’s own codes, P1 and P2, also stand for a response that never came.
 */
export function isRefusedCommit(error: unknown): boolean {
  const state = sqlState(error)
  const isOfWork = error instanceof NotCommitted || error instanceof ConfigurationError
  return isOfWork || isPassing(error) || (state !== undefined && !/^(?:08|53|57|P[1-9])/.test(state))
}

/**
 * Whether a statement for many rows may have failed because of one row. Not if the server is cut off, out of
 * resources, shutting down, or has no tables.
 */
export function isOfOneRow(error: unknown): boolean {
  const state = sqlState(error)
  return state !== undefined && !/^(?:08|25|42|53|57P|58)/.test(state)
}

/** Wraps an error of a driver or the server. The message says what failed, the likely cause and the fix. */
export function postgresFault(doing: string, cause: unknown): WebhookInboxError {
  if (cause instanceof WebhookInboxError) {
    return cause
  }
  const said = cause instanceof Error ? fullMessage(cause) : String(cause)
  const { advice, reason } = judge(cause)
  return new StoreError(`Postgres could not ${doing} (${said}); ${advice}`, { cause, reason })
}

/** Runs what asks the server. Its errors say that Postgres could not do `doing`, such as `list events`. */
export async function withFault<T>(doing: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw postgresFault(doing, error)
  }
}

/** What an error means for an operator, and for a program. */
interface Judgment {
  readonly advice: string
  readonly reason: StoreReason
}

function judge(cause: unknown): Judgment {
  if (cause instanceof NotCommitted) {
    return { advice: 'fix: let errors of the database out of the handler', reason: 'unavailable' }
  }
  if (cause instanceof Lapsed) {
    return {
      advice: 'likely cause: it took too long; fix: none here, its locks are free again',
      reason: 'timeout',
    }
  }
  const state = sqlState(cause)
  if (state === undefined) {
    return { advice: unreachable, reason: 'unavailable' }
  }
  const known = faults.find(([prefix]) => state.startsWith(prefix))
  const [, advice = `see the SQLSTATE ${state} of its cause`, reason = 'unavailable'] = known ?? []
  return { advice, reason }
}

/** Nothing repeats a call of the program, and `start()` is the first that meets a server that is down. */
const repeated =
  'fix: none here, deliveries and events of the queue are tried again; repeat other calls, such as start()'

const unreachable = `likely cause: it is down or unreachable, or the pool has no free connection; ${repeated}`

const conflict = 'likely cause: a conflict with another transaction; fix: none needed, try again'

const migrate =
  'run migratePostgres(pool), with the schema that postgresStore has, or webhook-inbox inbox migrate'

/** The first that fits. */
const faults: readonly (readonly [prefix: string, advice: string, reason?: StoreReason])[] = [
  [
    '08P01',
    'likely cause: a pooler has no connection free or no server, or rejects a setting of the pool; fix: more connections there, or without the setting',
  ],
  ['08', unreachable],
  [
    '55P03',
    'likely cause: another transaction holds a lock, such as that of a handler or a migration; fix: none needed, try again',
    'busy',
  ],
  ['40001', conflict, 'busy'],
  ['40P01', conflict, 'busy'],
  ['40', conflict],
  ['P2034', conflict, 'busy'],
  ['42P01', `likely cause: the tables are missing; fix: ${migrate}`, 'not_migrated'],
  ['42703', `likely cause: the tables are older than this program; fix: ${migrate}`, 'not_migrated'],
  [
    '42501',
    'likely cause: the role lacks a privilege; fix: grant SELECT, INSERT, UPDATE and DELETE on the tables',
    'denied',
  ],
  ['25006', 'likely cause: the server is a standby; fix: connect the pool to the primary'],
  ['23', 'likely cause: a deferred constraint that the handler’s writes violate; fix: see cause'],
  ['53100', 'likely cause: the disk of the server is full; fix: make room', 'full'],
  ['53300', 'likely cause: max_connections is reached; fix: smaller pools, or a pooler', 'full'],
  ['53', 'likely cause: the server has run out of a resource; fix: see the message', 'full'],
  ['28', 'likely cause: its user or password; fix: correct the address of the pool', 'denied'],
  [
    '57014',
    'likely cause: the server has too much to do, or the question covers too many rows; fix: ask for less, such as a state or a time',
    'timeout',
  ],
  ['57P', `likely cause: the server shuts down or starts; ${repeated}`],
]
