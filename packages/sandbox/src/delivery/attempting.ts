import type { Context } from '../context.js'
import type { Attempt } from './attempts.js'
import type { Edit } from './deliver.js'

/** The methods of the courier for a replay, a retry and an edited delivery. */
export interface Attempting {
  /**
   * Makes an attempt for this delivery now, whatever its state. Resolves when the attempt has ended; `undefined` if
   * the delivery is not known, has a running attempt, or no longer has an enabled subscription.
   */
  attemptNow(deliveryId: string, edit?: Edit): Promise<Attempt | undefined>
  /** True while an attempt for this delivery is running. */
  isUnderWay(deliveryId: string): boolean
}

/** What a replay, a retry and an edited delivery need. */
export interface AttemptingContext extends Context {
  readonly courier: Attempting
}
