import type { HmacKey } from '#crypto'
import type { AnyHandler } from '../dispatch/handlers.js'
import type { WebhookEvent } from '../event/event.js'
import type { Limits } from '../flow/limiter.js'
import type { Filled } from '../given-options.js'
import type { Queue } from '../queue/queue.js'
import type { LineLog } from '../report/logger.js'
import type { ReceiveRequest } from '../request.js'
import type { ResolvedScheme } from '../signature/scheme.js'
import type { Durations } from '../store/event-ref.js'
import type { BreakerRule } from '../store/flow-store.js'
import type { Inbox } from '../store/inbox.js'
import type { Store } from '../store/store.js'
import type { Observer } from '../telemetry/observer.js'
import type { CommonOptions } from './types.js'

/** A store that keeps events, and the queue that runs them. */
export interface DurableInbox {
  readonly inbox: Inbox<unknown>
  readonly queue: Queue
}

/** Options that always have a value, because they have a default. */
type Defaulted =
  | 'endpoint'
  | 'toleranceSeconds'
  | 'allowLongTolerance'
  | 'requireEventIdHeader'
  | 'inexactNumbers'
  | 'maxBodyBytes'
  | 'bodyTimeoutSeconds'
  | 'handlerTimeoutSeconds'
  | 'leaseSeconds'
  | 'retentionSeconds'
  | 'pruneEverySeconds'
  | 'undoSeconds'
  | 'now'

/** Options with every default filled in, and what can be prepared from them. */
export interface Settings
  extends Filled<Pick<CommonOptions, Defaulted>>,
    Pick<CommonOptions, 'schemas' | 'environments' | 'onResult'> {
  /** Whether the secret is a function, which is called for each delivery. */
  readonly isSecretLoaded: boolean
  readonly keysFor: (request: ReceiveRequest) => readonly HmacKey[] | Promise<readonly HmacKey[]>
  readonly store: Store<unknown>
  readonly handlers: Readonly<Record<string, AnyHandler>> | undefined
  readonly fallback: AnyHandler | undefined
  readonly queue: Queue | undefined
  /** Present when events are accepted into an inbox and run from a queue. */
  readonly durable: DurableInbox | undefined
  readonly resource: ((event: WebhookEvent) => unknown) | undefined
  readonly breaker: BreakerRule | undefined
  readonly limits: Limits | undefined
  readonly priorities: Readonly<Record<string, number>> | undefined
  readonly quarantineRetentionSeconds: number | undefined
  readonly version: string | undefined
  readonly scheme: ResolvedScheme
  /** The durations above, in the form that a store takes. */
  readonly durations: Durations
  readonly logger: LineLog
  readonly telemetry: Observer
}

/** Everything that one delivery needs, prepared when the receiver was built. */
export interface Pipeline extends Settings {
  /** Resolves if the store has passed its check. Otherwise checks the store, and rejects if the check fails. */
  readonly ready: () => Promise<void> | undefined
  /** Makes `stop()` wait for work that continues after its delivery was answered. */
  readonly track: (work: Promise<unknown>) => void
}
