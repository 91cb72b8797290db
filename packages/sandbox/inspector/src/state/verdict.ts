import type { GlyphName } from 'webhook-inbox-ui'
import type { Attempt, Delivery, LastAttempt } from '../api/records.js'

/** What a receiver made of a delivery. The name decides glyph and color too. */
export type Verdict = Extract<
  GlyphName,
  | 'exhausted'
  | 'failed'
  | 'unreachable'
  | 'rejected'
  | 'quarantined'
  | 'in_progress'
  | 'pending'
  | 'canceled'
  | 'duplicate'
  | 'ignored'
  | 'accepted'
  | 'processed'
  | 'acknowledged'
>

/** The word of each verdict. In the order of concern: bad comes first. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  exhausted: 'Exhausted',
  failed: 'Failed',
  unreachable: 'No response',
  rejected: 'Rejected',
  quarantined: 'Quarantined',
  in_progress: 'In progress',
  pending: 'Pending',
  canceled: 'Canceled',
  duplicate: 'Duplicate',
  ignored: 'Ignored',
  accepted: 'Accepted',
  processed: 'Processed',
  acknowledged: 'Acknowledged',
}

export const verdicts = Object.keys(verdictWords) as Verdict[]

/** True where the receiver has not taken the event, and that is news. */
export const isBad = (verdict: Verdict) =>
  verdict === 'exhausted' || verdict === 'failed' || verdict === 'unreachable' || verdict === 'rejected'

const waits = new Set<Verdict>(['pending', 'in_progress', 'canceled'])

/** True where the receiver has answered 2xx. */
export const isGood = (verdict: Verdict) => !isBad(verdict) && !waits.has(verdict)

type Ended = Pick<LastAttempt, 'status' | 'outcome' | 'failure'>

/** The verdict of one attempt: the receiver's own word, or what its status means. */
export function verdictOfAttempt({ status, outcome, failure }: Ended): Verdict {
  if (failure !== null || status === null) {
    return 'unreachable'
  }
  const own = verdicts.find((verdict) => verdict === outcome)
  if (own) {
    return own
  }
  if (status >= 200 && status < 300) {
    return 'acknowledged'
  }
  return status >= 500 ? 'failed' : 'rejected'
}

/** The verdict of a delivery: that of its newest attempt, unless the sandbox has given it up. */
export function verdictOf({ state, last, cause, attempts }: Delivery): Verdict {
  if (state === 'canceled') {
    return 'canceled'
  }
  if (state === 'exhausted' && cause !== 'replay' && attempts > 1) {
    return 'exhausted'
  }
  return last ? verdictOfAttempt(last) : 'pending'
}

/** The short form of a whole attempt. */
export const endOf = ({
  number,
  startedAt,
  response,
  outcome,
  code,
  failure,
  timings,
  faults,
  edited,
}: Attempt): LastAttempt => ({
  number,
  startedAt,
  status: response?.status ?? null,
  outcome,
  code,
  failure: failure?.kind ?? null,
  milliseconds: timings.ended,
  // As the sandbox names them.
  faults: faults as LastAttempt['faults'],
  edited,
})
