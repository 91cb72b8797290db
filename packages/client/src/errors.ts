/** The root of every error of this package. Its subclasses say who must act. */
export abstract class ServiceClientError extends Error {}

/** Which option or argument the client cannot work with. */
export type UsageCode =
  | 'unknown_option'
  | 'invalid_option'
  | 'invalid_id'
  | 'invalid_header'
  | 'insecure_base_url'
  | 'invalid_webhook_url'

/** The program called the client wrongly. Nothing was sent: the developer must act. */
export class UsageError extends ServiceClientError {
  override readonly name = 'UsageError'
  constructor(
    readonly code: UsageCode,
    message: string,
  ) {
    super(message)
  }
}

/** The call that failed. It holds no credential. */
export interface FailedCall {
  readonly method: string
  /** The path without the base URL and the query. */
  readonly path: string
  /** How many requests were sent: 1, and one more for each retry. */
  readonly requests: number
  /** The key that was sent with a POST. If you repeat the call with this key, the service does the work only once. */
  readonly idempotencyKey: string | undefined
}

/** Anything that fails after a request was built. */
abstract class CallError extends ServiceClientError implements FailedCall {
  readonly method: string
  readonly path: string
  readonly requests: number
  readonly idempotencyKey: string | undefined

  constructor(call: FailedCall, message: string, options?: ErrorOptions) {
    super(`${call.method} ${call.path}: ${message}`, options)
    this.method = call.method
    this.path = call.path
    this.requests = call.requests
    this.idempotencyKey = call.idempotencyKey
  }
}

/** What a response says about its failure. */
export interface ErrorAnswer {
  readonly status: number
  readonly code: string | undefined
  readonly param: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly body: string
}

/**
 * The service answered with an error, or with an invalid response. For a status below 500 the caller must act,
 * otherwise the service. `code` says what happened.
 */
export class ApiError extends CallError implements ErrorAnswer {
  override readonly name = 'ApiError'
  readonly status: number
  /**
   * The `code` of the problem document; undefined where the body is none. Two codes are the client's own, for a response
   * of 2xx: `invalid_response` (the body is not what was asked for) and `response_too_large`.
   */
  readonly code: string | undefined
  /** The field that is wrong, as the service names it. */
  readonly param: string | undefined
  /** The id of the request. Give it to the support of the service. */
  readonly requestId: string | undefined
  /** How long the service asks to wait, in seconds. */
  readonly retryAfterSeconds: number | undefined
  readonly #body: string

  constructor(call: FailedCall, answer: ErrorAnswer, message: string) {
    super(call, message)
    this.status = answer.status
    this.code = answer.code
    this.param = answer.param
    this.requestId = answer.requestId
    this.retryAfterSeconds = answer.retryAfterSeconds
    this.#body = answer.body
  }

  /**
   * The body as it came, whatever it is: the first 64 KiB as text, with the credential removed where it was repeated.
   * A getter, so that printing the error does not print personal data.
   */
  get body(): string {
    return this.#body
  }
}

/** The error codes of connections that failed before a request was sent. */
const neverConnected: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ConnectionRefused',
])

/**
 * No response arrived, or only a part of it. Check the network and the service. If `mayHaveActed` is true, repeat a POST
 * with its `idempotencyKey`.
 */
export class ConnectionError extends CallError {
  override readonly name = 'ConnectionError'
  /** The code of the system, such as `ECONNREFUSED`; undefined where the runtime gives none. */
  readonly code: string | undefined
  /** False if no connection was made. Then no request of the call has reached the service. */
  readonly mayHaveActed: boolean

  /** `hasReached`: an earlier request of the call may have reached the service. */
  constructor(call: FailedCall, cause: unknown, hasReached: boolean) {
    const { code, syscall } = systemError(cause)
    // An open connection may lose its route too, and then the request may have arrived.
    const wasOpen = syscall === 'read' || syscall === 'write'
    const mayHaveActed = hasReached || wasOpen || !neverConnected.has(code)
    const fact = mayHaveActed
      ? `no complete response from the service (${code ?? 'the connection failed'})${outcome(call)}`
      : `no connection to the service (${code}). Nothing was sent. Is baseUrl right, and is the service running?`
    super(call, fact, { cause })
    this.code = code
    this.mayHaveActed = mayHaveActed
  }
}

/** No complete response came within `timeoutSeconds`. As with {@link ConnectionError}, the outcome is unknown. */
export class TimeoutError extends CallError {
  override readonly name = 'TimeoutError'
  readonly timeoutSeconds: number

  constructor(call: FailedCall, timeoutSeconds: number) {
    super(call, `no complete response within ${timeoutSeconds} s${outcome(call)}`)
    this.timeoutSeconds = timeoutSeconds
  }
}

const outcome = (call: FailedCall) =>
  call.idempotencyKey === undefined
    ? ''
    : '. The service may have acted: repeat the call with the idempotencyKey of this error'

interface SystemError {
  /** Such as `ECONNREFUSED`. */
  readonly code?: string
  /** Such as `connect` or `read`. */
  readonly syscall?: unknown
}

/** `fetch` hides the error of the system behind one or two causes. */
function systemError(cause: unknown): SystemError {
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    if ('code' in cause && typeof cause.code === 'string') {
      return cause as SystemError
    }
    cause = cause.cause
  }
  return {}
}
