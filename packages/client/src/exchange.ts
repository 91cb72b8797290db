import { abortable } from './abortable.js'
import { readBody } from './read-body.js'

/** A response, with at most `maxBytes` of its body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** Whether the body was longer than what was read. */
  readonly isCut: boolean
}

/** What limits one request and its response. */
export interface Limits {
  readonly timeoutSeconds: number
  readonly signal: AbortSignal | undefined
  /** The most bytes of a body of 2xx. */
  readonly maxResponseBytes: number
}

/** The reason of an abort after `timeoutSeconds`. */
export const timedOut = Symbol('timed out')

/** The most bytes that are kept of a response outside 2xx: it is read by people. */
const maxErrorBytes = 64 * 1024

/**
 * Sends one request and reads its response. Rejects with the failure of `fetch`, with `timedOut`, or with the reason of the
 * signal.
 */
export async function exchange(
  fetch: (request: Request) => Promise<Response>,
  url: string,
  init: RequestInit,
  limits: Limits,
): Promise<Answer> {
  const { signal } = limits
  const ended = new AbortController()
  const onAbort = () => ended.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', onAbort)
  const timer = setTimeout(() => ended.abort(timedOut), limits.timeoutSeconds * 1000)
  try {
    // Some runtimes reject with an error of their own when they are aborted, and a fetch of the user may ignore it.
    return await abortable(ended.signal, async () => {
      const request = new Request(url, { ...init, redirect: 'manual', signal: ended.signal })
      const response = await fetch(request)
      const body = await readBody(
        response,
        response.ok ? limits.maxResponseBytes : maxErrorBytes,
        ended.signal,
      )
      return { status: response.status, headers: response.headers, ...body }
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
