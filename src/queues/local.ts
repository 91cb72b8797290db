import type { Queue } from '../queue/queue.js'
import { resolveQueueOptions } from '../queue/queue-options.js'
import type { Retry } from '../timing/backoff.js'
import { Consumer } from './local/consumer.js'

/** Durations in seconds. */
export interface LocalQueueOptions {
  /** How many events are run at once. Default 10. */
  readonly concurrency?: number
  /** How failed events are tried again. */
  readonly retry?: Retry
  /** How often the inbox is looked through for events of other processes and of failed ones whose time has come. Default 1 s. */
  readonly pollSeconds?: number
  /** Told when the inbox cannot be read or written; the queue goes on trying. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}

/**
 * Runs events straight from the inbox, which is its only list: what is accepted is queued, and what a crash leaves
 * behind is found again when its lease has passed. For one process; a second one, as in a rolling restart, does no harm.
 *
 * A failed attempt is followed by a growing pause, kept with the event; when its attempts are exhausted the event is
 * dead, until it is replayed. A crash is no failed attempt, however often it happens: the event is run again.
 *
 * Throws `ConfigurationError` (`invalid_option`, `unknown_option`).
 */
export function localQueue(options: LocalQueueOptions = {}): Queue {
  const settings = resolveQueueOptions('localQueue', options, defaults)
  const consumers = new Set<Consumer>()

  return {
    guarantee:
      `this process runs ${settings.concurrency} at a time, straight from the store: none is lost in a crash, ` +
      `and one that fails is tried ${settings.retry.attempts} times`,

    committed() {
      for (const consumer of consumers) consumer.wake()
    },

    async consume(worker, inbox) {
      const consumer = new Consumer(settings, worker, inbox)
      consumers.add(consumer)
      return async () => {
        consumers.delete(consumer)
        await consumer.stop()
      }
    },
  }
}

const defaults = { concurrency: 10, pollSeconds: 1, onError: logError }

function logError(error: unknown): void {
  console.error('webhook-inbox: the local queue cannot use the inbox', error)
}
