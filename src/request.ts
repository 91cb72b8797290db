import type { Code } from './codes.js'
import { invalidOption } from './errors.js'

/**
 * One delivery, as an adapter passes it to `receive`. You can also call `receive` without an adapter. Pass the headers
 * and the exact bytes of the body.
 */
export interface ReceiveRequest {
  /** Default `'POST'`. */
  readonly method?: string | undefined
  readonly headers: RequestHeaders
  /** The exact bytes, or a function that reads them. It is called only after the headers have been checked. */
  readonly body: Uint8Array | ReadBody
  /** Path and query as far as the framework knows them; for a secret resolver that serves several tenants. */
  readonly url?: string | undefined
  /** The framework’s own request; for a secret resolver. */
  readonly source?: unknown
  /** How long the platform waits for the response, in seconds, where that may be less than `handlerTimeoutSeconds`. */
  readonly budgetSeconds?: number | undefined
}

/** A WHATWG `Headers`, a plain object, or a look-up by lower-case name. An array is a header sent more than once. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }
  | ((name: string) => HeaderValue)

export type HeaderValue = string | readonly string[] | null | undefined

/**
 * Reads at most `maxBytes`, and stops when the time for the body is up. On failure it resolves to a code and does not
 * reject. A rejection counts as `body_incomplete`.
 */
export type ReadBody = (maxBytes: number, time: ReadTime) => Promise<Uint8Array | BodyProblem>

/** Tells a {@link ReadBody} when it must stop: the delivery is then answered `body_timeout`, whatever it resolves to. */
export interface ReadTime {
  /** Whether the time is up. Cheaper than `signal` for a reader that is called for each chunk. */
  readonly aborted: boolean
  /** Aborts when the time is up. */
  readonly signal: AbortSignal
}

export type BodyProblem = Extract<Code, 'body_too_large' | 'body_already_read' | 'body_incomplete'>

/** Throws `ConfigurationError` `invalid_option` for what no adapter passes, such as the headers alone. */
export function checkRequest(request: ReceiveRequest): void {
  const { method, headers } = request ?? {}
  if (!headers || typeof (method ?? '') !== 'string') {
    throw invalidOption('a request needs headers, and a string as its method')
  }
}

/** The value of a header by its lower-case name; an array where it was sent more than once. */
export function header(request: ReceiveRequest, name: string): HeaderValue {
  const value = lookUp(request.headers, name)
  return Array.isArray(value) && value.length <= 1 ? value[0] : value
}

function lookUp(headers: RequestHeaders, name: string): HeaderValue {
  if (typeof headers === 'function') {
    return headers(name)
  }
  if (typeof headers.get === 'function') {
    return headers.get(name)
  }
  const record = headers as Record<string, HeaderValue>
  if (Object.hasOwn(record, name)) {
    return record[name]
  }
  return Object.entries(record).find(([candidate]) => candidate.toLowerCase() === name)?.[1]
}
