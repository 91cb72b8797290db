import type { Queue } from '../queue/queue.js'
import { durationsOf, resolveQueueOptions } from '../queue/queue-options.js'
import { oncePerSecond, queueLog } from '../report/queue-log.js'
import type { Retry } from '../timing/backoff.js'
import { Consumer } from './local/local-consumer.js'

/** Durations in seconds. */
export interface LocalQueueOptions {
  /** How many events run concurrently. Default 10. */
  readonly concurrency?: number | undefined
  /** How failed events are retried: `attempts`, `firstPauseSeconds` and `longestPauseSeconds`, see {@link Retry}. */
  readonly retry?: Retry | undefined
  /**
   * How often to search the inbox for events that another process accepted or did not finish. Events of this process
   * and their retries do not wait for this search. Default 10 s.
   */
  readonly pollSeconds?: number | undefined
  /**
   * Called when the inbox cannot be read or written, at most once a second for each code, or for each message if there is no
   * code. The queue retries. Default: one line with `console.error`, once a minute for each code.
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Runs events directly from the inbox and keeps no other list. After a crash, an unfinished event runs again when its
 * lease has ended. This queue is for one process. Several processes are safe too, but each finds
 * the events of the others only every `pollSeconds`.
 *
 * A failed attempt is followed by a growing pause, which is kept with the event. After its last attempt the event is
 * dead until it is replayed. On SQLite a crash counts as an attempt too, from the fifth one on. On Postgres it leaves no trace.
 *
 * A handler that exceeds `handlerTimeoutSeconds` keeps its slot until it ends or its claim expires. If such handlers
 * take every slot, nothing else runs, and `onError` is called. Stop the work when `context.signal` aborts.
 *
 * Throws `ConfigurationError` (`invalid_option`, `unknown_option`).
 *
 * @example
 * const receiver = createReceiver({ secret, store: sqliteStore('inbox.sqlite'), queue: localQueue(), handlers })
 */
export function localQueue(options: LocalQueueOptions = {}): Queue {
  const given = resolveQueueOptions('localQueue', options, { ...defaults, onError: queueLog('localQueue') })
  const settings = { ...given, onError: oncePerSecond('localQueue', given.onError) }
  const consumers = new Set<Consumer>()

  function wakeAll(): void {
    for (const consumer of consumers) {
      consumer.wake()
    }
  }

  return {
    guarantee:
      `this process runs ${settings.concurrency} at a time, straight from the store; no event is lost in a crash; ` +
      `attempts for each event: ${settings.retry.attempts}`,

    concurrency: settings.concurrency,

    durations: durationsOf(settings),

    pollSeconds: settings.pollSeconds,

    committed: wakeAll,

    resumed: wakeAll,

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

const defaults = { concurrency: 10, pollSeconds: 10 }
