import type { CheckOptions } from '../../../src/check/run-checks.js'
import type { ReceiverByHand } from '../receiver-by-hand.js'

/** A receiver with one fault, and the cases that see it. */
export interface Broken {
  /** What it does wrong. */
  readonly fault: string
  /** The case that is named for this fault. */
  readonly caughtBy: string
  /** Every other case that sees it, too. Default: none. */
  readonly also?: readonly string[]
  readonly verdict?: 'fail' | 'warn'
  /** What the case must say of the response, where another reason would mislead. */
  readonly why?: string
  readonly receiver: new () => ReceiverByHand
  readonly options?: Partial<CheckOptions>
}
