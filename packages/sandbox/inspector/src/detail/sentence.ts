import { duration } from 'webhook-inbox-ui'
import type { Attempt, FullDelivery } from '../api/records.js'
import { endOf, isGood, type Verdict, verdictOf, verdictOfAttempt } from '../state/verdict.js'
import { answerOf, causeOf, failureWords } from '../state/words.js'
import { flawOf } from './flaw.js'

/** What a response means, to the person who writes the receiver. */
const meanings: Readonly<Partial<Record<Verdict, string>>> = {
  processed: 'Your receiver ran the handler and responded 200.',
  accepted: 'Your receiver stored the event and responded 200. The handler runs later, from its queue.',
  duplicate: 'Your receiver knows this event already. It responded 200, and nothing ran twice.',
  ignored: 'Your receiver has no handler for this type. It responded 200, so nothing is sent again.',
  quarantined: 'Your receiver stored the event, but does not trust it. A person must decide.',
  in_progress:
    'Another delivery of this event was being processed, so your receiver asked for a retry later.',
  acknowledged: 'Your receiver responded 2xx. The response does not say what it did.',
}

export interface Sentence {
  /** `good` and `bad` get a tinted box. */
  readonly tone: 'plain' | 'good' | 'bad'
  readonly text: string
}

/** What happened, in one or two sentences. */
export function sentenceOf(delivery: FullDelivery): Sentence {
  const attempt = delivery.tries.at(-1)
  if (delivery.state === 'canceled') {
    return {
      tone: 'plain',
      text: 'Canceled: its subscription was deleted or disabled. Nothing more is sent.',
    }
  }
  if (!attempt) {
    return delivery.attempts > 0
      ? { tone: 'plain', text: 'Its attempts are no longer kept: the sandbox keeps the newest 20,000.' }
      : { tone: 'plain', text: 'Not sent yet.' }
  }
  const verdict = verdictOfAttempt(endOf(attempt))
  const flaw = flawOf(attempt)
  if (flaw && verdict === 'rejected') {
    const code = attempt.code ? `: ${attempt.code}` : ''
    return {
      tone: 'good',
      text: `This is the right response. ${flaw.words}, and your receiver noticed${code}.`,
    }
  }
  if (flaw?.isCertain && isGood(verdict)) {
    const { response } = attempt
    return {
      tone: 'bad',
      text: `${flaw.words}, but your receiver responded ${response?.status}. It must reject such a request.`,
    }
  }
  const meaning = meanings[verdict]
  if (meaning) {
    const before = delivery.tries.length - 1
    const failed = before > 0 ? ` ${before} earlier ${before === 1 ? 'attempt' : 'attempts'} failed.` : ''
    return { tone: 'plain', text: meaning + failed }
  }
  return { tone: 'bad', text: `${factOf(attempt, verdict)} ${whatFollows(delivery)}` }
}

function factOf(attempt: Attempt, verdict: Verdict): string {
  const { code, failure, response } = attempt
  const why = code ? ` with ${code}` : ''
  if (failure?.kind === 'chaos') {
    return `Chaos: ${failure.message}.`
  }
  if (verdict === 'unreachable') {
    return `No complete response: ${failureWords(failure?.kind ?? 'other')}${failure?.code ? ` (${failure.code})` : ''}.`
  }
  return verdict === 'rejected'
    ? `Your receiver rejected the request: ${response?.status}${why}.`
    : `Your receiver could not process it: ${answerOf(endOf(attempt))}${why}.`
}

function whatFollows(delivery: FullDelivery): string {
  const { state, nextTryAt, cause, tries } = delivery
  if (state === 'pending' && nextTryAt) {
    const last = tries.at(-1)
    return `The sandbox retries it ${last ? `${duration(Date.parse(nextTryAt) - Date.parse(last.startedAt))} after the last attempt` : 'later'}.`
  }
  if (verdictOf(delivery) === 'exhausted') {
    return 'The schedule is over; nothing more is sent unless you replay it.'
  }
  return cause === 'replay'
    ? `${causeOf(delivery) === 'edited' ? 'An edited request' : 'A replay'} is one attempt; it is not retried.`
    : 'Nothing more is sent.'
}
