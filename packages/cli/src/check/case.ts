import type { Exchange } from '../http/exchange.js'
import type { Endpoint } from './endpoint.js'
import type { RuleId } from './rules.js'

/** The groups, in the order in which they run. */
export const groups = [
  'accepts',
  'bytes',
  'rejects',
  'bodies',
  'connections',
  'repeats',
  'effects',
  'answers',
] as const

export type Group = (typeof groups)[number]

/**
 * `fail` is a real fault. `warn` is a response that is allowed but could be better. `skip` is a case whose result would not
 * prove anything.
 */
export type Verdict = 'pass' | 'warn' | 'fail' | 'skip'

/** What a case needs in addition to a URL and a secret. */
export type Need = 'slow' | 'probe' | 'oldSecret' | 'production'

/** One behavior of a correct receiver, and how to test it from outside. */
export interface Case {
  readonly id: string
  /** What a correct receiver does, as a sentence. */
  readonly title: string
  readonly rule: RuleId
  /** The deliveries of the case. */
  readonly sends: string
  /** What to do when the case fails. */
  readonly advice: string
  readonly needs?: Need
  /** A rejection proves something only at an endpoint that acknowledges valid deliveries. Default false. */
  readonly expectsRefusal?: boolean
  readonly run: (endpoint: Endpoint) => Promise<Finding> | Finding
}

/** The result of a case. */
export interface Finding {
  readonly verdict: Verdict
  /** The response, on one line. */
  readonly received: string
  /** Why the case does not pass, or what a pass does not prove. */
  readonly why?: string
  /** The response that should have been another one. Absent if a fault has another reason, such as a secret in a response. */
  readonly wrongAnswer?: Exchange
}

/** A case and its result, for the reports. */
export interface CaseResult extends Omit<Finding, 'wrongAnswer'> {
  readonly id: string
  readonly group: Group
  readonly title: string
  readonly rule: RuleId
  readonly ruleText: string
  readonly sent: string
  /** What to do; only if the verdict is `fail` or `warn`. */
  readonly advice?: string
  /** The result that this one follows from. The case then proves nothing itself. */
  readonly followsFrom?: string
  readonly seconds: number
}
