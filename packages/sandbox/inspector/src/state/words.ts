import { duration } from 'webhook-inbox-ui'
import type { Delivery, LastAttempt } from '../api/records.js'
import { config } from './config.js'

/** How the page calls network failures. */
const failures: Readonly<Record<string, string>> = {
  refused: 'connection refused',
  reset: 'connection reset',
  timeout: 'timed out',
  unreachable: 'unreachable',
  name_not_resolved: 'name not resolved',
  address_not_allowed: 'address not allowed',
  certificate: 'bad certificate',
  tls: 'TLS failed',
  invalid_answer: 'not HTTP',
  chaos: 'lost by chaos',
  other: 'network failure',
}

export const failureWords = (kind: string): string => failures[kind] ?? kind

/** The end of an identifier tells it from its neighbors. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-6)}` : id)

/** Why it was sent. */
export const causeOf = ({ cause, last }: Delivery) => (last?.edited ? 'edited' : cause)

/** How many attempts the schedule of this delivery has. */
export const attemptsPlanned = ({ cause, attempts }: Delivery): number =>
  Math.max(1, attempts, cause === 'replay' ? 1 : (config.value?.retrySeconds.length ?? 0) + 1)

/** `200` or `connection refused`. */
export const answerOf = ({ status, failure }: LastAttempt): string =>
  status !== null && failure === null ? String(status) : failureWords(failure ?? 'other')

/** The next thing to know about a delivery: the important word first. */
export function noteOf(delivery: Delivery, isUnderWay: boolean, now: number): string {
  const { last, nextTryAt, state, cause, attempts } = delivery
  const why = last?.code ?? (last?.failure ? failureWords(last.failure) : undefined)
  if (isUnderWay) {
    return attempts > 0 ? `sending attempt ${attempts + 1}` : 'sending'
  }
  if (state === 'pending' && nextTryAt && attempts > 0) {
    const wait = Math.max(0, Date.parse(nextTryAt) - now)
    return [`retry in ${duration(Math.ceil(wait / 1000) * 1000)}`, why].filter(Boolean).join(', ')
  }
  if (state === 'pending') {
    return 'waits'
  }
  const facts = [
    state === 'exhausted' && cause !== 'replay' && attempts > 1 && 'no further attempt',
    why,
    cause === 'replay' && causeOf(delivery),
    cause === 'duplicate' && 'sent twice',
    state === 'delivered' && attempts > 1 && `after ${attempts - 1} failed`,
  ]
  return facts.filter(Boolean).join(', ')
}
