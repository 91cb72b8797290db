import { catchLater } from './catch-later.js'
import { type Code, explain, explainSignature } from './codes.js'

/** Codes of {@link VerificationError}. */
export type VerificationCode =
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'timestamp_out_of_tolerance'

/** Codes of {@link PayloadError}. */
export type PayloadCode = 'invalid_encoding' | 'invalid_json' | 'invalid_envelope' | 'invalid_data'

/** Codes of {@link ConfigurationError}. `docs/codes.md` is generated from these comments. */
export type ConfigurationCode =
  /** An option does not exist. Its name is probably misspelled. */
  | 'unknown_option'
  /** The value of an option or argument is invalid, or two options contradict each other. */
  | 'invalid_option'
  /** No event with this id is kept for the endpoint. It is misspelled, it was discarded or pruned, or it is of another endpoint. */
  | 'event_not_found'
  /**
   * No quarantined delivery, plan, run or group of failures with this name is kept for the endpoint. It is misspelled, it was deleted, or
   * it is of another endpoint.
   */
  | 'target_not_found'
  /** The target exists, but the operation cannot be done in its state. Nothing was done, and the message names the state. */
  | 'wrong_state'
  /** A secret is missing, empty, too short, padded with white space, or not in the encoding that the scheme names. */
  | 'invalid_secret'
  /** The store is missing, lacks a method, or cannot do what another option needs. */
  | 'invalid_store'
  /** A body is not bytes. A body parser has probably read it already. */
  | 'body_not_bytes'
  /** A Lambda function was called with something other than an HTTP request. */
  | 'unsupported_event'
  /** The store may delete events to free memory. An event whose id is deleted can run twice. */
  | 'store_evicts'
  /** The store loses everything when it restarts. */
  | 'store_volatile'
  /**
   * The store cannot be used. The message says why: an old server, hidden settings, a missing right, a file that does not open,
   * or a missing driver.
   */
  | 'store_unsupported'
  /**
   * The tables of the store are missing or older than this version. Run `migratePostgres(pool)`, with the `schema` of the store, or
   * `webhook-inbox inbox migrate`, or for D1 `d1Migration`. For DynamoDB, create the table.
   */
  | 'store_not_migrated'
  /** pg-boss is not started. Call `await boss.start()` before `receiver.start()`. */
  | 'queue_not_started'
  /** A handler used `tx` after it had settled, or tried to begin, end or release the transaction of the store. */
  | 'transaction_misused'

/** The root of every error with a code. Match on `code`, never on the message. */
export abstract class WebhookInboxError extends Error {
  abstract readonly code: string
}

/** The delivery is not the sender's, or not fresh: the sender must act. */
export class VerificationError extends WebhookInboxError {
  override readonly name = 'VerificationError'
  constructor(
    readonly code: VerificationCode,
    detail?: string,
  ) {
    super(explainSignature(code, detail))
  }
}

/** The body is authentic but cannot be read as an event: the sender must act. */
export class PayloadError extends WebhookInboxError {
  override readonly name = 'PayloadError'
  constructor(
    readonly code: PayloadCode,
    /** Which part is wrong, by name; never a value of the body. */
    readonly detail?: string,
    message = explain(code, detail),
  ) {
    super(message)
  }
}

/** The program or its environment is configured incorrectly: the developer must act. */
export class ConfigurationError extends WebhookInboxError {
  override readonly name = 'ConfigurationError'
  constructor(
    readonly code: ConfigurationCode,
    /** The message without its code. */
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail}`, options)
  }
}

/** Codes of {@link ConflictError}. `docs/codes.md` is generated from these comments. */
export type ConflictCode =
  /** The event changed after the caller looked at it. Nothing was done. Look at it again. */
  | 'event_changed'
  /** The pause that the caller looked at has ended, and somebody paused the same again. Nothing was done. Look at it again. */
  | 'pause_changed'
  /** The state of the group of failures changed after the caller looked at it. Nothing was done. Look at it again. */
  | 'group_changed'
  /** Somebody changed the run after the caller looked at it, or its canary failed. Nothing was done. Look at it again. */
  | 'run_changed'
  /** The discard that the caller looked at was undone, and somebody discarded the same again. Nothing was done. Look at it again. */
  | 'discard_changed'

/** Somebody else was faster: the caller must look again. */
export class ConflictError extends WebhookInboxError {
  override readonly name = 'ConflictError'
  constructor(
    readonly code: ConflictCode,
    message: string,
  ) {
    super(`${code}: ${message}`)
  }
}

/** Why a store did not do an operation. `docs/codes.md` is generated from these comments. */
export type StoreReason =
  /** It is down, unreachable, starting or stopping, or the reason is not known. An operation that changes something may have taken effect. */
  | 'unavailable'
  /** Another transaction or process holds what the operation needs, or conflicts with it. Nothing was changed. Try again in a moment. */
  | 'busy'
  /** It took longer than its limit. For a question, ask for less, such as a state or a time. */
  | 'timeout'
  /** The disk, the memory or the connections of the store are used up. Make room. */
  | 'full'
  /** The user of the store lacks a right, or its password is wrong. */
  | 'denied'
  /** The tables of the store are missing, older than this version, or of another form. */
  | 'not_migrated'

/** The store did not do an operation: the operator must act. */
export class StoreError extends WebhookInboxError {
  override readonly name = 'StoreError'
  readonly code = 'store_unavailable'
  /** Why, as far as the store knows. Default `'unavailable'`. */
  readonly reason: StoreReason
  constructor(message: string, options: ErrorOptions & { readonly reason?: StoreReason | undefined } = {}) {
    super(`store_unavailable: ${message}`, options)
    this.reason = options.reason ?? 'unavailable'
  }
}

/**
 * Wraps an error of user code, so that the store does not treat it as its own error. The original error is in `cause`.
 */
export class HandlerFailure extends Error {
  override readonly name = 'HandlerFailure'
  constructor(
    override readonly cause: unknown,
    /** Which user function threw it. Undefined for the handler. */
    readonly detail?: string,
    /** Which attempt of the handler it was. */
    readonly attempt?: number,
    /** Whether it counts as a failure. False if `stop()` had aborted the handler. */
    readonly isAttempt = true,
  ) {
    super('the handler threw or rejected')
    catchLater(cause)
  }
}

/** The handler was not called, and nothing is known of it. */
export class NotCalled extends Error {}

/** The details of a failure. */
interface JobFailure {
  readonly code?: Code | undefined
  readonly detail?: string | undefined
  readonly cause?: unknown
  readonly overdue?: Promise<unknown> | undefined
}

/** Tells a queue to try a job again. */
export class JobNotDone extends Error {
  override readonly name = 'JobNotDone'
  /** Why the event was not done, where that is known. What the handler threw is the `cause`. */
  readonly code: Code | undefined
  /** What the code is about. */
  readonly detail: string | undefined
  /** Settles when the handler ends, if it still runs after its time. */
  readonly overdue: Promise<unknown> | undefined
  constructor(
    message: string,
    /** Whether it counts as a failure. False if another process runs the event, or the store did not answer. */
    readonly isAttempt = true,
    { code, detail, cause, overdue }: JobFailure = {},
  ) {
    super(message, { cause })
    this.code = code
    this.detail = detail
    this.overdue = overdue
  }
}

/**
 * Why a delivery ends early. It is a value and not an `Error`, because for forged requests the stack of an `Error`
 * would cost more than the HMAC.
 */
export class Rejection<C extends Code = Code> {
  constructor(
    readonly code: C,
    /** For the operator; never a secret, a signature or a part of the body. */
    readonly detail?: string,
    readonly cause?: unknown,
  ) {
    catchLater(cause)
  }
}

/** An option or an argument that cannot be used. */
export const invalidOption = (message: string, options?: ErrorOptions) =>
  new ConfigurationError('invalid_option', message, options)

/** For an operation whose target is not kept. */
export const targetNotFound = (detail: string) => new ConfigurationError('target_not_found', detail)

/** For an operation that cannot be done in the state of its target. */
export const wrongState = (detail: string) => new ConfigurationError('wrong_state', detail)

export const eventNotFound = (id: unknown, because = '') =>
  new ConfigurationError('event_not_found', `no event ${id} is kept${because}`)

/** Work of a handler has ended the transaction in which its event is marked done. */
export const transactionEnded = (cause?: unknown) =>
  new ConfigurationError(
    'transaction_misused',
    'the handler has ended the transaction of the store, or released its savepoint; likely cause: a COMMIT or ROLLBACK among several statements; fix: leave them out, and use SAVEPOINT with a name of your own',
    { cause },
  )
