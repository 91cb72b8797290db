import type { Progress } from './bank/progress.js'
import type { Context } from './context.js'
import type { Feed } from './control/feed.js'
import type { RequestLog } from './control/request-log.js'
import type { TargetRules } from './delivery/address-guard.js'
import type { Courier } from './delivery/courier.js'

/** The parts of a running sandbox that its routes use. */
export interface Service extends Context {
  readonly courier: Courier
  readonly progress: Progress
  readonly feed: Feed
  readonly requests: RequestLog
  /** Where subscriptions may point. */
  readonly targets: TargetRules
  /** Call it after each commit that may have planned something: a step of a transfer, or a delivery. */
  wake(): void
  /** Call it after each commit that moved transfers. Also calls `wake`. */
  moved(transferIds: readonly string[]): void
  /** Restores the initial data and the subscriptions made at the start. */
  reset(): Promise<void>
  /** Called with an error of the sandbox itself. */
  onFailure(error: unknown): void
}
