import { setTimeout as sleep } from 'node:timers/promises'
import { noteFailure } from '../../queue/note-failure.js'
import type { Job, Worker } from '../../queue/queue.js'
import { describeError, isAttempt } from '../../queue/take-job.js'
import type { Inbox, StoredEvent } from '../../store/inbox.js'
import { Alarm } from '../../timing/alarm.js'
import { pauseAfter, type Retry } from '../../timing/backoff.js'

export interface ConsumerSettings {
  readonly concurrency: number
  readonly retry: Required<Retry>
  readonly pollSeconds: number
  readonly onError: (error: unknown) => void
}

/** Looks for due events and runs them, so many at once. Begins at once, and goes on until it is stopped. */
export class Consumer {
  readonly #settings: ConsumerSettings
  readonly #worker: Worker
  readonly #inbox: Inbox<unknown>
  readonly #running = new Map<string, Promise<void>>()
  readonly #alarm = new Alarm()
  readonly #stopping = new AbortController()
  readonly #stopped = new AbortController()
  readonly #looking: Promise<void>

  constructor(settings: ConsumerSettings, worker: Worker, inbox: Inbox<unknown>) {
    this.#settings = settings
    this.#worker = worker
    this.#inbox = inbox
    this.#looking = this.#look()
  }

  /** There may be something new in the inbox. */
  wake(): void {
    this.#alarm.ring()
  }

  /** Takes no more events; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#looking
    await Promise.all(this.#running.values())
    this.#stopped.abort()
  }

  async #look(): Promise<void> {
    const { concurrency, pollSeconds } = this.#settings
    while (!this.#stopping.signal.aborted) {
      // Whoever ends rings, so nothing is missed while all places are taken.
      if (this.#running.size < concurrency) await this.#startDue()
      await this.#alarm.wait(pollSeconds)
    }
  }

  async #startDue(): Promise<void> {
    const { concurrency, onError } = this.#settings
    try {
      // At most as many as run may be found again, which leaves enough for the free places.
      for (const event of await this.#inbox.due(concurrency, this.#worker.endpoint)) {
        if (this.#stopping.signal.aborted || this.#running.size >= concurrency) break
        if (!this.#running.has(event.key)) this.#start(event)
      }
    } catch (error) {
      onError(error)
    }
  }

  #start(event: StoredEvent): void {
    const run = this.#run(event).finally(() => {
      this.#running.delete(event.key)
      this.wake()
    })
    this.#running.set(event.key, run)
  }

  async #run(event: StoredEvent): Promise<void> {
    const { key, type, endpoint, generation } = event
    const job = { key, type, endpoint, generation }
    try {
      await this.#worker.run(job, this.#stopped.signal)
    } catch (error) {
      if (isAttempt(error)) await this.#noteFailure(event, job, error)
      else await this.#rest()
    }
  }

  async #noteFailure(event: StoredEvent, job: Job, error: unknown): Promise<void> {
    const { retry, onError } = this.#settings
    const failures = event.failures + 1
    const note = () =>
      failures >= retry.attempts
        ? this.#worker.markDead(job, error)
        : this.#inbox.postpone(event.key, pauseAfter(failures, retry), describeError(error))
    try {
      await noteFailure(note, this.#stopping.signal, onError)
    } catch (fault) {
      onError(fault)
      await this.#rest()
    }
  }

  /** Keeps its place for a while: an event that nobody could try is due still, and would be run in a circle. */
  #rest(): Promise<void> {
    const { signal } = this.#stopping
    return sleep(this.#settings.pollSeconds * 1000, undefined, { signal }).catch(() => {})
  }
}
