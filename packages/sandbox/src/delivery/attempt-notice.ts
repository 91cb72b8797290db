import type { Attempt } from './attempts.js'
import type { Delivery } from './deliveries.js'

/** One attempt that starts, or that has ended. `delivery` is its state before or after the attempt. */
export type AttemptNotice = {
  readonly delivery: Delivery
  /** Counted from 1. */
  readonly number: number
  /** How many attempts the schedule has. */
  readonly of: number
} & ({ readonly phase: 'started' } | { readonly phase: 'ended'; readonly attempt: Attempt })
