import { sleep } from './abortable.js'
import { apiError, type Sent } from './answer.js'
import { authorize } from './authorize.js'
import { ApiError, ConnectionError, type FailedCall, TimeoutError } from './errors.js'
import { exchange, timedOut } from './exchange.js'
import { idempotencyKeyOf } from './idempotency-key.js'
import { checkCallOptions } from './option-checks.js'
import type { CallOptions, Settings } from './options.js'
import { pauseBeforeRetry } from './retry.js'

/** One call of the API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** From the root of the service, with its version prefix. */
  readonly path: string
  readonly query?: string
  readonly body?: object
}

/**
 * Sends a call, and sends it again where that helps. A POST keeps its idempotency key over its retries. Throws
 * `ApiError`, `ConnectionError`, `TimeoutError`, `UsageError`, the reason of the signal, or what `auth` throws. Before a retry it
 * calls `onRetry` with whether a request so far may have taken effect.
 */
export async function send(
  settings: Settings,
  call: Call,
  options: CallOptions,
  onRetry: (mayHaveActed: boolean) => void = () => {},
): Promise<Sent> {
  checkCallOptions(options)
  const idempotencyKey = call.method === 'POST' ? idempotencyKeyOf(options.idempotencyKey) : undefined
  // Once for all retries: the program may change its object meanwhile, but the key stands for this body.
  const body = call.body && JSON.stringify(call.body)
  let hasReached = false
  let hasActed = false
  for (let requests = 1; ; requests++) {
    const told = { method: call.method, path: call.path, requests, idempotencyKey }
    try {
      return await sendOnce(settings, { ...call, body }, { ...told, hasReached }, options)
    } catch (failure) {
      hasReached = !(failure instanceof ConnectionError) || failure.mayHaveActed
      hasActed ||= mayHaveActed(failure)
      const pause = pauseBeforeRetry(failure, requests - 1, settings.retry)
      if (pause === undefined) {
        throw failure
      }
      onRetry(hasActed)
      await sleep(pause, options.signal)
    }
  }
}

/** A service that refuses a request for its rate has not acted on it. */
function mayHaveActed(failure: unknown): boolean {
  if (failure instanceof ConnectionError) {
    return failure.mayHaveActed
  }
  return !(failure instanceof ApiError && failure.status === 429)
}

async function sendOnce(
  settings: Settings,
  call: Omit<Call, 'body'> & { readonly body: string | undefined },
  { hasReached, ...told }: FailedCall & { readonly hasReached: boolean },
  options: CallOptions,
): Promise<Sent> {
  const { body } = call
  const url = settings.root + call.path + (call.query ?? '')
  const own = {
    accept: 'application/json, application/problem+json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(told.idempotencyKey !== undefined && { 'idempotency-key': told.idempotencyKey }),
  }
  const { headers, redact } = await authorize(settings, { method: call.method, url, own }, options)
  const { signal, timeoutSeconds = settings.timeoutSeconds } = options
  const limits = { signal, timeoutSeconds, maxResponseBytes: settings.maxResponseBytes }
  const init = { method: call.method, headers, body: body ?? null }
  const answer = await exchange(settings.fetch, url, init, limits).catch((failure: unknown) => {
    if (failure === timedOut) {
      throw new TimeoutError(told, timeoutSeconds)
    }
    if (signal?.aborted) {
      throw signal.reason
    }
    throw new ConnectionError(told, failure, hasReached)
  })
  if (answer.status >= 200 && answer.status < 300) {
    return { call: told, answer, redact }
  }
  throw apiError(told, { ...answer, body: redact(answer.body) })
}
