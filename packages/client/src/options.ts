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
