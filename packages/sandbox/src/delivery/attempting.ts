import type { Attempt } from './attempts.js'
import type { Edit } from './deliver.js'

/** What a replay, a retry and an edited delivery need of the courier. */
export interface Attempting {
  /**
   * Makes an attempt for this delivery now, whatever its state. Resolves when the attempt has ended; `undefined` if
   * the delivery is not known, has an attempt under way, or has no enabled subscription any more.
   */
  attemptNow(deliveryId: string, edit?: Edit): Promise<Attempt | undefined>
  /** True while an attempt for this delivery is under way. */
  isUnderWay(deliveryId: string): boolean
}
