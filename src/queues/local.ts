import { JobRunner } from '../queue/job-runner.js'
import { Poller } from '../queue/poller.js'
import type { Queue, Searches } from '../queue/queue.js'
import { resolveQueueOptions } from '../queue/queue-options.js'
import type { StoredEvent } from '../store/inbox.js'
import type { Retry } from '../timing/backoff.js'
import { Shutdown } from '../timing/shutdown.js'

/** Durations in seconds. */
export interface LocalQueueOptions {
  /** How many events run concurrently. Default 10. */
  readonly concurrency?: number
  /** How failed events are tried again: `attempts`, `firstPauseSeconds` and `longestPauseSeconds`, see {@link Retry}. */
  readonly retry?: Retry
  /**
   * How often to search the inbox for events that another process accepted or did not finish. Events of this process
   * and their retries do not wait for this search. Default 10 s.
   */
  readonly pollSeconds?: number
  /** Called when the inbox cannot be read or written. The queue tries again. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}

/**
 * Runs events directly from the inbox and keeps no other list. After a crash, an unfinished event runs again when its
 * lease has ended. This queue is for one process. A second process during a rolling restart is safe.
 *
 * A failed attempt is followed by a growing pause, which is kept with the event. After its last attempt the event is
 * dead until it is replayed. A crash does not count as an attempt.
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
  const settings = resolveQueueOptions('localQueue', options, defaults)
  const { concurrency, pollSeconds } = settings
  const pollers = new Set<Poller<StoredEvent>>()

  function wakeAll(): void {
    for (const poller of pollers) {
      poller.wake()
    }
  }

  return {
    guarantee:
      `this process runs ${concurrency} at a time, straight from the store; no event is lost in a crash, ` +
      `and an event that fails is tried ${settings.retry.attempts} times`,

    committed: wakeAll,

    resumed: wakeAll,

    async consume(worker, inbox) {
      const shutdown = new Shutdown()
      const runner = new JobRunner({ ...settings, worker, inbox, shutdown })
      const running = new Set<string>()

      let found: StoredEvent[] = []
      let foundAt = 0

      async function find(limit: number): Promise<StoredEvent[]> {
        // A search costs the database about as much as a run, so it finds events for several runs.
        if (found.length < limit || performance.now() - foundAt > freshFor) {
          found = await search(limit)
          foundAt = performance.now()
        }
        return found.splice(0, limit)
      }

      async function search(enough: number): Promise<StoredEvent[]> {
        const { filters, wakeAfterSeconds } = worker.searches?.() ?? everything
        const all: StoredEvent[] = []
        for (const filter of filters) {
          // The search may return events that already run. With this limit it still returns enough others.
          const due = await inbox.due(2 * concurrency, worker.endpoint, filter)
          all.push(...due.filter(({ key }) => !running.has(key)))
          if (all.length >= enough) {
            break
          }
        }
        if (wakeAfterSeconds > 0 && wakeAfterSeconds < pollSeconds) {
          void wakeAfter(wakeAfterSeconds)
        }
        return all
      }

      async function run(event: StoredEvent): Promise<void> {
        running.add(event.key)
        const end = await runner.run(event)
        // Keeps its slot briefly. The event is still due, and would be tried again immediately.
        if (end.state === 'untried' || (end.state === 'held' && end.retryAfterSeconds === undefined)) {
          await shutdown.sleep(untriedPauseSeconds)
        }
        if (end.state === 'held' && end.isStillFound) {
          void setAside(event.key)
        } else {
          running.delete(event.key)
        }
        if (end.state === 'failed' && end.pauseSeconds < pollSeconds) {
          void wakeAfter(end.pauseSeconds)
        }
      }

      /** The next search finds it again, and must not run it in a loop. Its slot is free for other events. */
      async function setAside(key: string): Promise<void> {
        await shutdown.sleep(untriedPauseSeconds)
        running.delete(key)
        poller.wake()
      }

      async function wakeAfter(seconds: number): Promise<void> {
        await shutdown.sleep(seconds)
        poller.wake()
      }

      const poller = new Poller({ ...settings, shutdown, find, run })
      pollers.add(poller)
      return async () => {
        pollers.delete(poller)
        shutdown.begin()
        await poller.ended()
      }
    },
  }
}

const untriedPauseSeconds = 1

/** How long found events are used, in milliseconds. Until then a more urgent event may wait for them. */
const freshFor = 1000

const everything: Searches = { filters: [{}], wakeAfterSeconds: 0 }

const defaults = { concurrency: 10, pollSeconds: 10, onError: logError }

function logError(error: unknown): void {
  console.error('webhook-inbox: localQueue', error)
}
