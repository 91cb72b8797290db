import type { Code } from '../codes.js'
import type { Receiver } from '../receiver.js'
import type { Outcome } from '../result.js'
import type { SignedBody } from './delivery.js'

/** The response to a delivery, in one form for HTTP and in process. */
export interface Answer<D extends SignedBody = SignedBody> {
  readonly status: number
  /** `undefined` when a receiver did not write the body, for example behind a middleware. */
  readonly outcome: Outcome | undefined
  readonly code: Code | undefined
  readonly eventId: string | undefined
  /** Header values by lower-case name. */
  readonly headers: Headers
  readonly body: string
  /** The delivery that was sent. */
  readonly delivery: D
}

type Headers = Readonly<Record<string, string>>

/** Sends a delivery to its receiver. */
export type Transport = <D extends SignedBody>(delivery: D) => Promise<Answer<D>>

/** Calls the receiver in this process, without a socket or a framework. */
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

/** Sends over HTTP as the service does. It follows no redirect, and rejects after `timeoutSeconds`. */
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
