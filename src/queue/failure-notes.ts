import { JobNotDone, StoreError } from '../errors.js'
import type { Inbox, StoredEvent } from '../store/inbox.js'
import { Shutdown } from '../timing/shutdown.js'
import { notice } from './notice.js'
import { isOpen } from './open-event.js'
import type { Worker } from './queue.js'

/** How long to wait before the store is asked again to note a failure. */
const notePauseSeconds = 1

interface FailureNotesSettings {
  readonly inbox: Pick<Inbox<unknown>, 'read'>
  /** How many jobs the engine runs concurrently. */
  readonly concurrency: number
  readonly shutdown: Shutdown
  readonly worker: Pick<Worker, 'isAborted'>
  readonly onError: (error: unknown) => void
}

/** Notes failures in the inbox, which may not take them now. */
export class FailureNotes {
  readonly #settings: FailureNotesSettings
  /** How many jobs wait until the inbox can note their failure. */
  #unnoted = 0

  constructor(settings: FailureNotesSettings) {
    this.#settings = settings
  }

  /**
   * Records a failure, and retries while the store cannot. A handler that exceeds its time can hold the row of its
   * event until its claim ends. Without the record such an event would run again without limit, and block its resource.
   * Resolves to false if that handler has succeeded since, or the event was replayed. `isLast` if the note makes the event dead.
   */
  async note(
    { key, id, generation, failures }: StoredEvent,
    failure: unknown,
    note: () => Promise<unknown>,
    { isLast = false } = {},
  ): Promise<boolean> {
    const { inbox, shutdown, worker, onError } = this.#settings
    let isFirst = true
    const overdue = failure instanceof JobNotDone ? failure.overdue : undefined
    let isRunning = overdue !== undefined
    const end = () => {
      isRunning = false
    }
    const ended = overdue?.then(end, end)
    try {
      for (;;) {
        const isHeld = isRunning
        try {
          if (!isFirst) {
            const now = await inbox.read(key)
            // The store may have noted it, and only its reply was lost. A note that makes the event dead is repeated: it changes
            // nothing more, and what follows it tells the operator.
            const isDead = isLast && now?.state === 'dead'
            if (!(isDead || isOpen(now)) || now.generation !== generation) {
              return false
            }
            if (now.failures > failures && !isDead) {
              return true
            }
          }
          await note()
          return true
        } catch (error) {
          // `stop()` waits for the handler. When that or its claim has ended, the failure can be noted.
          const isLastTry = shutdown.hasBegun && (!isHeld || worker.isAborted?.())
          if (isLastTry || !(error instanceof StoreError)) {
            throw error
          }
          if (!isRunning) {
            onError(error)
          } else if (isFirst) {
            const fact = `the handler of event ${id} still runs after handlerTimeoutSeconds and holds the event`
            onError(notice(`${fact}; its failure is noted when it ends, unless it succeeds`))
          }
          if (isFirst) {
            this.#reportFull(++this.#unnoted)
          }
          isFirst = false
        }
        await this.#pause(isRunning ? ended : undefined)
      }
    } finally {
      if (!isFirst) {
        this.#unnoted--
      }
    }
  }

  /** The shutdown ends every sleep. From then on this waits for the handler instead. */
  async #pause(handler: Promise<void> | undefined): Promise<void> {
    const { shutdown } = this.#settings
    if (!shutdown.hasBegun || !handler) {
      return shutdown.sleep(notePauseSeconds)
    }
    const timer = new Shutdown()
    await Promise.race([handler, timer.sleep(notePauseSeconds)])
    timer.begin()
  }

  #reportFull(unnoted: number): void {
    const { concurrency, onError } = this.#settings
    if (unnoted < concurrency) {
      return
    }
    const fact = `all ${concurrency} places are taken by handlers that run past handlerTimeoutSeconds`
    const fix = 'fix: stop the work of a handler when context.signal aborts'
    onError(notice(`${fact}; nothing else runs until they end or their claims expire; ${fix}`))
  }
}
