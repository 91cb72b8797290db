import type { Queue } from '../../queue/queue.js'
import type { Inbox } from '../../store/inbox.js'
import type { Store } from '../../store/store.js'
import type { Retry } from '../../timing/backoff.js'

/** How a law wants a queue. */
export interface QueueSettings {
  /** Queues of one space share their jobs, and those of different spaces do not. Letters and digits. */
  readonly space: string
  readonly concurrency: number
  readonly retry: Required<Retry>
}

/** A queue with the store whose events it runs. */
export interface QueueTrial<Tx> {
  readonly queue: Queue<Tx>
  readonly store: Store<Tx> & { readonly inbox?: Inbox<Tx> }
  /** Releases what was opened for them. */
  close(): Promise<void>
}

/** A process that has begun to run a job. */
export interface Victim {
  /** Ends it as `kill -9` does; resolves when it is gone. */
  kill(): Promise<void>
}
