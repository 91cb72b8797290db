import type { Filled } from '../../given-options.js'
import type { Queue } from '../../queue/queue.js'
import type { Inbox } from '../../store/inbox.js'
import type { Store } from '../../store/store.js'
import type { Retry } from '../../timing/backoff.js'

/** The settings that a law needs. */
export interface QueueSettings {
  /** Queues of one space share their jobs. Queues of different spaces do not. Contains letters and digits only. */
  readonly space: string
  readonly concurrency: number
  readonly retry: Filled<Retry>
}

/** A queue, and the store that holds its events. */
export interface QueueTrial<Tx> {
  readonly queue: Queue<Tx>
  readonly store: Store<Tx> & { readonly inbox?: Inbox<Tx> }
  /** Closes what was opened for them. */
  close(): Promise<void>
}

/** A process that is running a job. */
export interface Victim {
  /** Ends the process as `kill -9` does. Resolves when it is gone. */
  kill(): Promise<void>
}
