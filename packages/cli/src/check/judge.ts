import { describeExchange } from '../http/describe.js'
import type { Exchange } from '../http/exchange.js'
import type { Finding, Verdict } from './case.js'

/** Acknowledged with 2xx. */
export const isAcknowledged = (exchange: Exchange) => inHundreds(exchange, 2)

/** Whether a sender retries soon and may succeed: the receiver is busy with this event or cannot take it now. */
export const isRetryable = (exchange: Exchange) =>
  exchange.kind === 'answer' && [408, 409, 423, 425, 429, 503].includes(exchange.status)

/** A valid delivery: only 2xx passes. */
export function mustAcknowledge(exchange: Exchange): Finding {
  if (isAcknowledged(exchange)) {
    return pass(exchange)
  }
  if (inHundreds(exchange, 3)) {
    return unacknowledged(exchange, 'it was redirected, and senders do not follow redirects')
  }
  if (inHundreds(exchange, 4)) {
    return unacknowledged(exchange, 'a valid delivery was rejected')
  }
  return unacknowledged(exchange, 'a valid delivery was not acknowledged')
}

/** If no valid delivery is acknowledged, it repeats that fault. */
const unacknowledged = (exchange: Exchange, why: string): Finding => ({
  ...fail(exchange, why),
  wrongAnswer: exchange,
})

/** A valid delivery in an unusual form: the receiver may also reject it. */
export function shouldAcknowledge(exchange: Exchange): Finding {
  if (inHundreds(exchange, 4)) {
    return { ...warn(exchange, 'a valid delivery was rejected'), wrongAnswer: exchange }
  }
  return mustAcknowledge(exchange)
}

/** An invalid delivery: only 4xx passes. */
export function mustRefuse(exchange: Exchange): Finding {
  if (isAcknowledged(exchange)) {
    return fail(exchange, 'it was acknowledged')
  }
  return refusal(exchange)
}

/** A delivery that does no harm but is better rejected. */
export function shouldRefuse(exchange: Exchange): Finding {
  if (isAcknowledged(exchange)) {
    return warn(exchange, 'it was acknowledged')
  }
  return refusal(exchange)
}

/** A signed body that is not an event: rejected, or kept for a person to look at. */
export function mustRefuseOrKeep(exchange: Exchange): Finding {
  if (isAcknowledged(exchange) && outcomeOf(exchange) !== 'quarantined') {
    return warn(exchange, 'it was acknowledged; unless it is kept somewhere, it is lost')
  }
  return isAcknowledged(exchange) ? pass(exchange) : refusal(exchange)
}

/** A delivery that may be acknowledged or rejected, but must not break the receiver. */
export function mustSurvive(exchange: Exchange, why?: string): Finding {
  return isAcknowledged(exchange) ? pass(exchange, why) : refusal(exchange)
}

function refusal(exchange: Exchange): Finding {
  if (exchange.kind === 'none') {
    return fail(exchange, 'no response arrived')
  }
  if (exchange.status === 429) {
    return warn(exchange, 'the receiver limits the rate, which proves nothing')
  }
  if (inHundreds(exchange, 4)) {
    return pass(exchange)
  }
  if (inHundreds(exchange, 3)) {
    return fail(exchange, 'it was redirected instead of rejected')
  }
  return fail(exchange, 'the receiver broke on it instead of rejecting it')
}

export const pass = (exchange: Exchange, why?: string) => finding('pass', exchange, why)
export const warn = (exchange: Exchange, why: string) => finding('warn', exchange, why)
export const fail = (exchange: Exchange, why: string) => finding('fail', exchange, why)

function finding(verdict: Verdict, exchange: Exchange, why: string | undefined): Finding {
  return { verdict, received: describeExchange(exchange), ...(why !== undefined && { why }) }
}

/** The worst result; if several are equal, the first. */
export function worst(findings: readonly Finding[]): Finding {
  const order: readonly Verdict[] = ['fail', 'warn', 'skip', 'pass']
  const sorted = [...findings].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
  const [first] = sorted
  if (!first) {
    throw new RangeError('no findings')
  }
  return first
}

/** Adds the name of the variant to a result, for cases with several variants. */
export const about = (variant: string, found: Finding): Finding => ({
  ...found,
  received: `${variant}: ${found.received}`,
})

function inHundreds(exchange: Exchange, hundreds: number): boolean {
  return exchange.kind === 'answer' && Math.floor(exchange.status / 100) === hundreds
}

/** The `outcome` in the response of a receiver of this project; `undefined` for others. */
function outcomeOf(exchange: Exchange): unknown {
  if (exchange.kind === 'none') {
    return undefined
  }
  try {
    return (JSON.parse(exchange.body) as { outcome?: unknown } | null)?.outcome
  } catch {
    return undefined
  }
}
