import type { Code } from '../codes.js'
import type { Receiver } from '../receiver.js'
import type { Outcome } from '../result.js'
import type { SignedBody } from './delivery.js'

/** What the sender of a delivery is told, in one form whether it went over HTTP or not. */
export interface Answer<D extends SignedBody = SignedBody> {
  readonly status: number
  /** `undefined` where the body is not a receiver’s, as when a route behind a middleware writes its own. */
  readonly outcome: Outcome | undefined
  readonly code: Code | undefined
  readonly eventId: string | undefined
  /** By lower-case name. */
  readonly headers: Headers
  readonly body: string
  /** What was delivered. */
  readonly delivery: D
}

type Headers = Readonly<Record<string, string>>

/** Carries a delivery to its receiver. */
export type Transport = <D extends SignedBody>(delivery: D) => Promise<Answer<D>>

/** In this process: no socket, no framework. */
export function inProcess(
  receiver: Pick<Receiver, 'receive'>,
  extra: Headers,
  url: string | undefined,
): Transport {
  return async (delivery) => {
    const { status, headers, body } = await receiver.receive({
      method: 'POST',
      headers: { ...extra, ...delivery.headers },
      body: delivery.body,
      url,
    })
    return toAnswer(delivery, status, headers, body)
  }
}

/** Over HTTP, as a sender does it: no redirect is followed, and an answer that takes too long is none. */
export function overHttp(url: string | URL, extra: Headers, timeoutSeconds: number): Transport {
  return async (delivery) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...extra, ...delivery.headers },
      body: new Uint8Array(delivery.body),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    })
    return toAnswer(
      delivery,
      response.status,
      Object.fromEntries(response.headers.entries()),
      await response.text(),
    )
  }
}

function toAnswer<D extends SignedBody>(
  delivery: D,
  status: number,
  headers: Headers,
  body: string,
): Answer<D> {
  const { outcome, code, eventId } = readVerdict(body)
  return { status, outcome, code, eventId, headers, body, delivery }
}

function readVerdict(body: string): { outcome?: Outcome; code?: Code; eventId?: string } {
  try {
    return JSON.parse(body) ?? {}
  } catch {
    return {}
  }
}
