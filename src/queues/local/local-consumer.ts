import type { Filled } from '../../given-options.js'
import { JobRunner } from '../../queue/job-runner.js'
import { Poller } from '../../queue/poller.js'
import type { Searches, Worker } from '../../queue/queue.js'
import type { DueFilter, Inbox, StoredEvent } from '../../store/inbox.js'
import type { Retry } from '../../timing/backoff.js'
import { Shutdown } from '../../timing/shutdown.js'

export interface ConsumerSettings {
  readonly concurrency: number
  readonly pollSeconds: number
  readonly retry: Filled<Retry>
  readonly onError: (error: unknown) => void
}

/** Runs the events of one receiver in this process, until {@link Consumer.stop}. */
export class Consumer {
  readonly #settings: ConsumerSettings
  readonly #worker: Worker
  readonly #inbox: Inbox<unknown>
  readonly #runner: JobRunner
  readonly #poller: Poller<StoredEvent>
  readonly #shutdown = new Shutdown()
  /** The keys of events that run, or that are skipped for a moment. A search must not return them. */
  readonly #running = new Set<string>()
  #found: StoredEvent[] = []
  #foundAt = 0
  /** No search before this time, by `performance.now()`. */
  #restsUntil = 0
  #isRestTimed: boolean | undefined

  constructor(settings: ConsumerSettings, worker: Worker, inbox: Inbox<unknown>) {
    this.#settings = settings
    this.#worker = worker
    this.#inbox = inbox
    const shutdown = this.#shutdown
    this.#runner = new JobRunner({ ...settings, worker, inbox, shutdown })
    this.#poller = new Poller({
      ...settings,
      shutdown,
      find: (limit) => this.#find(limit),
      run: (event) => this.#run(event),
    })
  }

  /** Searches now. */
  wake(): void {
    this.#poller.wake()
  }

  /** Takes no more events. Resolves when those that run have ended. */
  async stop(): Promise<void> {
    this.#shutdown.begin()
    await this.#poller.ended()
  }

  async #find(limit: number): Promise<StoredEvent[]> {
    // A search costs the database about as much as a run, so it finds events for several runs.
    const now = performance.now()
    if (this.#found.length < limit || now - this.#foundAt > freshFor) {
      if (now < this.#restsUntil) {
        this.#searchAfterRest()
      } else {
        this.#found = await this.#search(limit)
        this.#foundAt = performance.now()
      }
    }
    return this.#found.splice(0, limit)
  }

  async #search(enough: number): Promise<StoredEvent[]> {
    const { concurrency, pollSeconds } = this.#settings
    const { filters, wakeAfterSeconds } = this.#worker.searches?.() ?? everything
    const startedAt = performance.now()
    this.#isRestTimed = false
    const all: StoredEvent[] = []
    let isWide = false
    for (const filter of filters) {
      // The search may return events that already run, or that are skipped. With this limit it still returns enough others.
      const usual = 2 * concurrency
      const most = Math.max(usual, Math.min(mostFound, this.#running.size + concurrency), limitFor(filter))
      isWide = most > usual
      const due = await this.#inbox.due(
        most,
        this.#worker.endpoint,
        isWide ? { ...filter, bodies: false } : filter,
      )
      all.push(...due.filter(({ key }) => !this.#running.has(key)))
      if (all.length >= enough) {
        break
      }
    }
    // It read many events and found few. With a rest, searches take a limited part of the time.
    if (isWide && all.length < enough) {
      const now = performance.now()
      this.#restsUntil = now + restFactor * (now - startedAt)
    }
    if (wakeAfterSeconds > 0 && wakeAfterSeconds < pollSeconds) {
      void this.#wakeAfter(wakeAfterSeconds)
    }
    return all
  }

  #searchAfterRest(): void {
    if (!this.#isRestTimed) {
      this.#isRestTimed = true
      void this.#wakeAfter((this.#restsUntil - performance.now()) / 1000)
    }
  }

  async #run(event: StoredEvent): Promise<void> {
    this.#running.add(event.key)
    const end = await this.#runner.run(event)
    const isElsewhere = end.state === 'untried' && end.isElsewhere
    // Keeps its slot briefly. The event is still due, and would be retried immediately.
    if (
      (end.state === 'untried' && !isElsewhere) ||
      (end.state === 'held' && end.retryAfterSeconds === undefined)
    ) {
      await this.#shutdown.sleep(untriedPauseSeconds)
    }
    if (isElsewhere || (end.state === 'held' && end.isStillFound)) {
      void this.#skipBriefly(event.key)
    } else {
      this.#running.delete(event.key)
    }
    if (end.state === 'failed' && end.pauseSeconds < this.#settings.pollSeconds) {
      void this.#wakeAfter(end.pauseSeconds)
    }
  }

  /** The next search finds it again, and must not run it in a loop. Its slot is free for other events. */
  async #skipBriefly(key: string): Promise<void> {
    await this.#shutdown.sleep(untriedPauseSeconds)
    this.#running.delete(key)
    this.wake()
  }

  async #wakeAfter(seconds: number): Promise<void> {
    await this.#shutdown.sleep(seconds + timerMargin)
    this.wake()
  }
}

const untriedPauseSeconds = 1

/**
 * A search reads and skips the next event of each resource at its limit. If these are many, it finds events for more runs. So it
 * skips at most this many events for each event that it finds.
 */
const mostSkipped = 10
/** A search finds at most this many events, unless the concurrency is high. */
const mostFound = 500
/** The pause after a search that skipped many events and found few, as a multiple of its time. */
const restFactor = 4

const limitFor = ({ exceptResources = [] }: DueFilter) =>
  Math.min(mostFound, Math.ceil(exceptResources.length / mostSkipped))

/** In seconds. A timer can fire a millisecond early. The search would then find nothing, and the event wait for the next one. */
const timerMargin = 0.005

/** How long found events are used, in milliseconds. Until then a more urgent event may wait for them. */
const freshFor = 1000

const everything: Searches = { filters: [{}], wakeAfterSeconds: 0 }
