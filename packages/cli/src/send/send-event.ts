import type { SignatureScheme } from 'webhook-inbox'
import { deliveryOf, tamper } from 'webhook-inbox/testing'
import { type Exchange, exchange } from '../http/exchange.js'
import type { EventToSend } from './read-event.js'

/** How an event is sent, and how often. */
export interface SendSettings {
  readonly url: URL
  readonly secret: string
  readonly scheme: SignatureScheme | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly count: number
  /** Sends all of them at the same time instead of one after the other. */
  readonly isConcurrent: boolean
  /** How long before now the delivery is signed, in seconds. */
  readonly ageSeconds: number
  /** Changes the body after signing. */
  readonly isTampered: boolean
  readonly timeoutSeconds: number
}

/** One delivery and its response. */
export interface Sent {
  /** Counted from 1. */
  readonly turn: number
  readonly status?: number
  readonly milliseconds?: number
  /** The outcome and code of a receiver of this project. */
  readonly verdict?: string
  readonly body?: string
  /** The correct response of a receiver. */
  readonly expected: 'a 2xx' | 'a 4xx' | 'a 2xx, or 409 or 503 while the event is in work'
  readonly isExpected: boolean
  /** Why there is no response. */
  readonly problem?: string
}

/** Signs and sends an event. Throws `ConfigurationError` if the secret or the scheme cannot sign it. */
export async function* sendEvent(event: EventToSend, settings: SendSettings): AsyncGenerator<Sent> {
  const turns = Array.from({ length: settings.count }, (_, index) => index + 1)
  if (settings.isConcurrent) {
    yield* await Promise.all(turns.map((turn) => sendOnce(event, turn, settings)))
    return
  }
  for (const turn of turns) {
    const sent = await sendOnce(event, turn, settings)
    yield sent
    if (sent.problem !== undefined) {
      return
    }
  }
}

async function sendOnce(event: EventToSend, turn: number, settings: SendSettings): Promise<Sent> {
  const { url, headers, timeoutSeconds, isTampered } = settings
  const delivery = await signed(event, settings)
  const { body, headers: own } = isTampered ? tampered(delivery) : delivery
  const answer = await exchange(url, { headers: { ...headers, ...own }, body }, timeoutSeconds)
  return judge(answer, turn, settings)
}

const signed = ({ body, id }: EventToSend, { secret, scheme, ageSeconds }: SendSettings) =>
  deliveryOf(body, { secret, ageSeconds, ...(scheme && { scheme }), ...(id !== undefined && { id }) })

/** An empty body has no byte to change. */
function tampered(delivery: Awaited<ReturnType<typeof deliveryOf>>) {
  return delivery.body.length === 0 ? { ...delivery, body: Buffer.from(' ') } : tamper.body(delivery)
}

function judge(answer: Exchange, turn: number, settings: SendSettings): Sent {
  const expected = expectedOf(settings)
  if (answer.kind === 'none') {
    return { turn, expected, isExpected: false, problem: answer.problem }
  }
  const { status, body, seconds } = answer
  const verdict = verdictIn(body)
  return {
    turn,
    status,
    milliseconds: Math.round(seconds * 1000),
    ...(verdict !== undefined && { verdict }),
    body,
    expected,
    isExpected: isExpected(status, expected),
  }
}

function expectedOf({ isTampered, ageSeconds, isConcurrent, count }: SendSettings): Sent['expected'] {
  if (isTampered || ageSeconds > 0) {
    return 'a 4xx'
  }
  return isConcurrent && count > 1 ? 'a 2xx, or 409 or 503 while the event is in work' : 'a 2xx'
}

function isExpected(status: number, expected: Sent['expected']): boolean {
  const hundreds = Math.floor(status / 100)
  if (expected === 'a 4xx') {
    return hundreds === 4
  }
  return hundreds === 2 || (expected !== 'a 2xx' && (status === 409 || status === 503))
}

/** Such as `processed`, or `rejected signature_mismatch`. */
function verdictIn(body: string): string | undefined {
  try {
    const { outcome, code } = (JSON.parse(body) ?? {}) as { outcome?: unknown; code?: unknown }
    const words = [outcome, code].filter((word) => typeof word === 'string')
    return words.length > 0 ? words.join(' ') : undefined
  } catch {
    return undefined
  }
}
