/** A row as a driver returns it. The store casts what it selects, so that every driver returns the same. */
// biome-ignore lint/suspicious/noExplicitAny: a column is what its statement makes it.
export type Row = Record<string, any>

/** Runs one statement, with `$1` and so on for its values. */
export type Query = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>

/** How long a transaction may take. */
export interface Limits {
  /** How long a statement waits for a lock. */
  readonly lockSeconds: number
  /** How long the session may idle in its transaction before the server ends it and frees its locks. */
  readonly idleSeconds: number
  /** How long each statement may run. Default: as long as the server allows. */
  readonly statementSeconds?: number
}

/** A statement whose plan the connection may keep. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /**
   * How long the connection may keep the plan, in seconds. Default: it keeps none. `Infinity` is for a statement with one
   * possible plan, such as an INSERT of values. Any other plan may have been made for a small table, and would be slow when the
   * table has grown.
   */
  readonly planSeconds?: number
}

/** The first statement of a transaction. It can share the round trip of BEGIN. */
export interface First extends Statement {
  /**
   * Where a savepoint is set, before or after it. If the savepoint is gone at the end, the work has ended the transaction, and the
   * commit is rejected. One that is set after it also lets {@link Session.undo} undo what comes later.
   */
  readonly savepoint?: 'before' | 'after'
}

/** The name of the savepoint of a {@link First}. */
export const savepoint = 'webhook_inbox_claim'

/** The rows of a {@link First}, which selects its columns as text. */
export type Found = readonly (readonly (string | null)[])[]

/** The result of a {@link First}, from the rows of a driver. */
export const foundIn = (rows: readonly Row[]): Found => rows.map((row) => Object.values(row))

/** What work in a transaction gets. */
export interface Session<Tx> {
  readonly tx: Tx
  /** When the transaction began, by `performance.now()`: before its first statement was sent. */
  readonly openedAt: number
  /** When its first statement had run, by `performance.now()`. */
  readonly foundAt: number
  readonly query: Query
  /** Aborts when the transaction is lost. Created when it is first read. */
  readonly signal: AbortSignal
  /**
   * Undoes everything after an undoable first statement. From then on `tx` rejects every statement. Absent if `tx` belongs to
   * another library and cannot be taken back: what a handler has left running could then write into the rest of the transaction.
   */
  readonly undo?: () => Promise<void>
}

/** A transaction whose first statement has run. One of its methods must be called, once. */
export interface Begun<Tx> {
  readonly found: Found
  /** Runs the rest of the transaction, see {@link Database.transaction}. */
  run<T>(work: (session: Session<Tx>, found: Found) => Promise<T>): Promise<T>
  rollback(): Promise<void>
}

/** Begins a transaction, and resolves when its first statement has run. Rejects like {@link Database.transaction}. */
export type Begin<Tx> = (limits: Limits, first?: First) => Promise<Begun<Tx>>

/** The database of the store, with any driver. */
export interface Database<Tx> {
  /**
   * Runs work in one transaction, which commits when the work resolves. `found` is what the first statement returned. If it
   * rejects, nothing is committed, unless only the reply to COMMIT was lost or the work has ended the transaction. It rejects
   * with one of these errors.
   *
   * - what the work rejected with, or the driver’s error;
   * - {@link Lapsed} if the session outlived its limits;
   * - {@link NotCommitted} if the server rolled back;
   * - `ConfigurationError` `transaction_misused` if the work has ended the transaction;
   * - {@link Disconnected} if the connection broke.
   */
  transaction<T>(
    limits: Limits,
    work: (session: Session<Tx>, found: Found) => Promise<T>,
    first?: First,
  ): Promise<T>
  /** Absent if another library begins and ends transactions. */
  readonly begin?: Begin<Tx>
  /** Runs one statement in a transaction of its own. */
  readonly query: Query
  /** The same with limits, and still in one round trip if the client allows it. */
  ask(limits: Limits, statement: Statement): Promise<readonly Row[]>
  /** The same for a statement that inserts rows and returns their keys. */
  insert(statement: Statement): Promise<string[]>
  close(): void
}

/** For statements that may wait for locks that are held briefly. */
export const shortly: Limits = { lockSeconds: 5, idleSeconds: 30 }

/**
 * For queries of an operator. A slow query is cancelled, also on the server, so that deliveries do not wait for it. The limit for
 * a lock is the shorter one: otherwise a query that waits for a lock would be reported as slow.
 */
export const reading: Limits = { lockSeconds: 2, idleSeconds: 5, statementSeconds: 5 }

/**
 * For a statement on the row of one event. It waits only briefly for a lock, because a handler may hold the row while
 * it runs.
 */
export const withoutWaiting: Limits = { lockSeconds: 0.05, idleSeconds: 5 }

/**
 * Makes one plan for all values of a prepared statement. Otherwise the server makes a plan for each of its first five uses, and
 * for the later ones too if it expects them to be cheaper. For a search, making the plan takes longer than using it.
 */
export const onePlan = "set_config('plan_cache_mode', 'force_generic_plan', true)"

/**
 * Sets the limits of a transaction. Also turns JIT compilation off, which takes longer than these statements. It is one
 * statement without a table, so it never waits for a lock.
 */
export const limiting = ({ lockSeconds, idleSeconds, statementSeconds }: Limits) =>
  `SELECT set_config('lock_timeout', '${ms(lockSeconds)}', true),
  set_config('idle_in_transaction_session_timeout', '${ms(idleSeconds)}', true), set_config('jit', 'off', true)${
    statementSeconds === undefined
      ? ''
      : `,\n  set_config('statement_timeout', '${ms(statementSeconds)}', true)`
  }`

/** Milliseconds for a setting of the server, which takes 0 for no limit, or for a timer. Both have the same greatest value. */
export const ms = (seconds: number): number => Math.min(Math.max(1, Math.ceil(seconds * 1000)), 2 ** 31 - 1)

/** The transaction outlived its limits and was rolled back. */
export class Lapsed extends Error {
  override readonly name = 'Lapsed'
}

/** The connection broke. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected'
}

/** The server rolled back in response to COMMIT. */
export class NotCommitted extends Error {
  override readonly name = 'NotCommitted'
  constructor(
    message = 'the transaction was rolled back: work went on after a statement in it had failed',
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
