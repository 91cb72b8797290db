import { UsageError } from './errors.js'
import { isLoopback } from './schemas/webhook-url.js'

/** What `auth` is told about the request that it gives headers for. */
export interface RequestToAuthorize {
  readonly method: string
  readonly url: string
}

/** Gives the headers that authorize one request. Called for every request, retries included. */
export type Auth = (request: RequestToAuthorize) => HeadersInit | Promise<HeadersInit>

/** How often and how soon a request is sent again. */
export interface RetryOptions {
  /** Retries after the first request: 0 to 10. Default 3, so that at most 4 requests are sent. */
  readonly maxRetries?: number | undefined
  /** The longest pause before the first retry, in seconds; it doubles with each. Default 0.5. */
  readonly firstPauseSeconds?: number | undefined
  /** The longest pause before any retry, in seconds, without what `Retry-After` asks for. Default 8. */
  readonly longestPauseSeconds?: number | undefined
  /** The longest `Retry-After` that is waited for, in seconds. A longer one ends the call. Default 60. */
  readonly longestRetryAfterSeconds?: number | undefined
}

interface CommonClientOptions {
  /** The address of the service, with or without `/v1` (or the `apiVersion`) and a slash at its end. */
  readonly baseUrl: string
  /** Allows `http:` to another machine. The credential is then sent without encryption. Default false. */
  readonly allowInsecureHttp?: boolean | undefined
  readonly retry?: RetryOptions | undefined
  /** How long one request may take until its response is complete, in seconds. Default 30. */
  readonly timeoutSeconds?: number | undefined
  /** The largest answer that is read, in bytes. Default 10 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** The version of the API: the first part of each path. Default `v1`. */
  readonly apiVersion?: string | undefined
  /** The path of webhook subscriptions, from the root. Default `/webhook-subscriptions`, as the interface writes it. */
  readonly subscriptionsPath?: string | undefined
  /** Sends one request. Default: the `fetch` of the runtime. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
}

/** A key, or a function that gives headers. */
export type ClientOptions = CommonClientOptions &
  (
    | { readonly apiKey: string; readonly auth?: undefined }
    | { readonly auth: Auth; readonly apiKey?: undefined }
  )

/** What every call takes as its last argument. */
export interface CallOptions {
  /** The Idempotency-Key of a POST: 1 to 255 visible ASCII characters. Default: a new one for each call. */
  readonly idempotencyKey?: string | undefined
  /** Ends the call, also while it waits for a retry. The call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** How long one request may take until its response is complete, in seconds. Default: that of the client. */
  readonly timeoutSeconds?: number | undefined
  /** More headers. Those that the client sends itself cannot be replaced. */
  readonly headers?: HeadersInit | undefined
}

/** The options with their defaults, checked. */
export interface Settings {
  readonly root: string
  readonly apiVersion: string
  readonly subscriptionsPath: string
  readonly auth: Auth
  readonly retry: { readonly [Name in keyof RetryOptions]-?: number }
  readonly timeoutSeconds: number
  readonly maxResponseBytes: number
  readonly fetch: (request: Request) => Promise<Response>
}

const clientOptions = [
  'baseUrl',
  'apiKey',
  'auth',
  'allowInsecureHttp',
  'retry',
  'timeoutSeconds',
  'maxResponseBytes',
  'apiVersion',
  'subscriptionsPath',
  'fetch',
]
const retryOptions = ['maxRetries', 'firstPauseSeconds', 'longestPauseSeconds', 'longestRetryAfterSeconds']
const callOptions = ['idempotencyKey', 'signal', 'timeoutSeconds', 'headers']

/** The longest delay of a timer is 24.8 days; a day is more than any request takes. */
const day = 86_400

/** Fills in the defaults. Throws `UsageError`. */
export function resolveOptions(options: ClientOptions): Settings {
  checkNames('createClient', options, clientOptions)
  const { retry = {}, apiVersion = 'v1', subscriptionsPath = '/webhook-subscriptions', fetch } = options
  checkNames('retry', retry, retryOptions)
  if (typeof apiVersion !== 'string' || !/^v\d{1,4}$/.test(apiVersion)) {
    throw invalid('apiVersion must be a version such as v1')
  }
  if (!/^(\/[A-Za-z0-9_-]+)+$/.test(subscriptionsPath)) {
    throw invalid('subscriptionsPath must be a path such as /webhook-subscriptions')
  }
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw invalid('fetch must be a function')
  }
  return {
    root: rootOf(options.baseUrl, apiVersion, options.allowInsecureHttp === true),
    apiVersion,
    subscriptionsPath,
    auth: authOf(options),
    retry: {
      maxRetries: number('retry.maxRetries', retry.maxRetries ?? 3, 0, 10, true),
      firstPauseSeconds: number('retry.firstPauseSeconds', retry.firstPauseSeconds ?? 0.5, 0, day),
      longestPauseSeconds: number('retry.longestPauseSeconds', retry.longestPauseSeconds ?? 8, 0, day),
      longestRetryAfterSeconds: number(
        'retry.longestRetryAfterSeconds',
        retry.longestRetryAfterSeconds ?? 60,
        0,
        day,
      ),
    },
    timeoutSeconds: timeout(options.timeoutSeconds ?? 30),
    maxResponseBytes: number('maxResponseBytes', options.maxResponseBytes ?? 10 * 2 ** 20, 1, 2 ** 30, true),
    // Looked up at each call, so that a later replacement of the global is used. `fetch` also needs `globalThis` as
    // `this`.
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
  }
}

/** Checks the options of one call. Throws `UsageError`. */
export function checkCallOptions(options: CallOptions): void {
  checkNames('a call', options, callOptions)
  if (options.timeoutSeconds !== undefined) {
    timeout(options.timeoutSeconds)
  }
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw invalid('signal must be an AbortSignal')
  }
}

/** The address without the version and without a slash at its end. */
function rootOf(baseUrl: string, apiVersion: string, allowInsecureHttp: boolean): string {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) {
    throw invalid('baseUrl must be an absolute URL, such as https://api.example.com/v1')
  }
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw invalid('baseUrl must be an https: URL')
  }
  if (url.username || url.password) {
    throw invalid('baseUrl must not contain credentials: use apiKey or auth')
  }
  if (url.search || url.hash) {
    throw invalid('baseUrl must not have a query or a fragment')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp) {
    throw new UsageError(
      'insecure_base_url',
      'baseUrl is http: on another machine, so that the credential would be sent in the clear. Use https:, or set ' +
        'allowInsecureHttp: true in a network that you trust',
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  const [, version = apiVersion] = /\/(v\d+)$/.exec(path) ?? []
  if (version !== apiVersion) {
    throw invalid(`baseUrl ends in /${version}, and apiVersion is ${apiVersion}`)
  }
  return url.origin + path.replace(/\/v\d+$/, '')
}

function authOf({ apiKey, auth }: ClientOptions): Auth {
  if (apiKey !== undefined && auth !== undefined) {
    throw invalid('give apiKey or auth, not both')
  }
  if (auth !== undefined) {
    if (typeof auth !== 'function') {
      throw invalid('auth must be a function that gives headers')
    }
    return auth
  }
  if (typeof apiKey !== 'string') {
    throw invalid('apiKey must be a string: is the environment variable set?')
  }
  // The message does not contain the value, because it may be a real key followed by a line break.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid('apiKey must be visible ASCII without white space')
  }
  if (apiKey === 'undefined' || apiKey === 'null') {
    throw invalid('apiKey is the text of a missing value')
  }
  return () => ({ authorization: `Bearer ${apiKey}` })
}

const timeout = (seconds: number) => number('timeoutSeconds', seconds, 0.001, day)

function number(name: string, value: number, least: number, most: number, whole = false): number {
  const fits =
    typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value))
  if (!fits) {
    throw invalid(`${name} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`)
  }
  return value
}

function checkNames(where: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) {
    throw invalid(`the options of ${where} must be an object`)
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) {
    return
  }
  throw new UsageError('unknown_option', `${where} has no option ${unknown}. It has: ${known.join(', ')}`)
}

const invalid = (message: string) => new UsageError('invalid_option', message)
