import type { HmacKey } from '#crypto'
import type { AnyHandler } from '../dispatch/handlers.js'
import type { WebhookEvent } from '../event/event.js'
import type { InexactNumbers } from '../event/parse.js'
import type { Schemas } from '../event/schema.js'
import type { Queue } from '../queue/queue.js'
import type { LineLog } from '../report/logger.js'
import type { ReceiveRequest } from '../request.js'
import type { ReceiveResult } from '../result.js'
import type { ResolvedScheme } from '../signature/scheme.js'
import type { Durations } from '../store/event-ref.js'
import type { Inbox } from '../store/inbox.js'
import type { Store } from '../store/store.js'

/** A store that keeps events, and the queue that runs them. */
export interface DurableInbox {
  readonly inbox: Inbox<unknown>
  readonly queue: Queue
}

/** Options with every default filled in, and what can be prepared from them. */
export interface Settings {
  readonly keysFor: (request: ReceiveRequest) => readonly HmacKey[] | Promise<readonly HmacKey[]>
  readonly store: Store<unknown>
  readonly handlers: Readonly<Record<string, AnyHandler>> | undefined
  readonly fallback: AnyHandler | undefined
  readonly queue: Queue | undefined
  /** Present when events are accepted into an inbox and run from a queue. */
  readonly durable: DurableInbox | undefined
  readonly resource: ((event: WebhookEvent) => unknown) | undefined
  readonly endpoint: string
  readonly scheme: ResolvedScheme
  readonly toleranceSeconds: number
  readonly allowLongTolerance: boolean
  readonly schemas: Schemas | undefined
  readonly environments: readonly string[] | undefined
  readonly requireEventIdHeader: boolean
  readonly inexactNumbers: InexactNumbers
  readonly maxBodyBytes: number
  readonly bodyTimeoutSeconds: number
  readonly handlerTimeoutSeconds: number
  readonly leaseSeconds: number
  readonly retentionSeconds: number
  /** The times of the above as a store takes them. */
  readonly durations: Durations
  readonly now: () => number
  readonly onResult: ((result: ReceiveResult) => void) | undefined
  readonly logger: LineLog
}

/** Everything that one delivery needs, prepared when the receiver was built. */
export interface Pipeline extends Settings {
  /** Resolves once the store has passed its check; rejects while it has not. */
  readonly ready: () => Promise<void> | undefined
  /** Has `stop()` wait for work that outlives the answer of its delivery. */
  readonly track: (work: Promise<unknown>) => void
}
