import { duration } from 'webhook-inbox-ui'
import type { Attempt } from '../api/records.js'
import { sentSecondsOf, valuesOf } from './explain.js'

/** As far as `t` may lie from the clock of a receiver, in seconds. */
export const tolerance = 300

export interface Flaw {
  /** Who made the request wrong, and how. */
  readonly words: string
  /** False where a receiver may have a greater tolerance. */
  readonly isCertain: boolean
}

/** Why a receiver must reject an attempt: what chaos or a person changed before it was sent. */
export function flawOf(attempt: Attempt): Flaw | undefined {
  const { faults, edited, request } = attempt
  const chaos = (what: string) => `Chaos ${what} before the request was sent`
  const certain = faults.includes('corruptSignature')
    ? chaos('changed the signature')
    : edited?.signature === 'wrong'
      ? 'You signed it with a wrong secret'
      : edited?.signature === 'none'
        ? 'You sent it without a signature'
        : edited?.signature === 'original' && !edited.isSameBody
          ? 'You sent it with the signature of another body'
          : undefined
  if (certain) {
    return { words: certain, isCertain: true }
  }
  const [, t] = /\bt=(\d+)/.exec(valuesOf(request.headers, 'service-signature')[0] ?? '') ?? []
  const age = sentSecondsOf(attempt) - Number(t ?? Number.NaN)
  if (faults.includes('skew')) {
    return { words: chaos('moved t'), isCertain: false }
  }
  return Math.abs(age) > tolerance
    ? {
        words: `Its t was ${duration(age * 1000)} ${age < 0 ? 'ahead' : 'old'} when it was sent`,
        isCertain: false,
      }
    : undefined
}
