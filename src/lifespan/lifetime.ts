import { invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Pipeline } from '../options/settings.js'
import type { Announcement } from '../report/guarantee.js'
import { Deadline } from '../timing/deadline.js'
import type { UnderWay } from '../timing/under-way.js'
import type { Background } from './background.js'
import { endUse, noteUse } from './shared-endpoint.js'
import { startWarnings } from './start-warnings.js'
import { checkDrain } from './stop-on-signals.js'

/** What a receiver consists of, besides its pipeline. */
interface Parts {
  readonly background: Background
  /** What `stop()` waits for. */
  readonly underWay: UnderWay
  /** What `start()` logs once the check has passed. */
  readonly announcement: () => Announcement
  /** Asks the store and the queue whether they can be used. */
  readonly check: () => Promise<void>
}

/** Starts and stops a receiver. */
export class Lifetime {
  readonly #pipeline: Pipeline
  readonly #parts: Parts
  #stopping = new AbortController()
  /** A signal ends the process, so nothing starts after it. */
  #hasSignal = false
  #isStarted = false
  #hasWarned = false
  #isNoted = false
  #stops = 0
  /** Settles when no `stop()` runs. Undefined if none runs. */
  #stopped: Promise<void> | undefined

  constructor(pipeline: Pipeline, parts: Parts) {
    this.#pipeline = pipeline
    this.#parts = parts
  }

  /** Aborts when the receiver stops. After another `start()` it is a new one. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** A signal has arrived. Ends what keeps a server from closing, ahead of `stop()`. */
  announceEnd(): void {
    this.#hasSignal = true
    this.#announceStop()
  }

  #announceStop(): void {
    this.#stopping.abort(new DOMException('the receiver was stopped', 'AbortError'))
  }

  /** An event was accepted. Without the warning an operator would not notice that the events do not run. */
  noteAccepted(): void {
    if (this.#isStarted || this.#hasWarned) {
      return
    }
    this.#hasWarned = true
    const fix =
      'call await receiver.start(), with consume: false where another process runs the events. If the program calls it, a bundler may have loaded the module of the receiver twice: keep the receiver on globalThis'
    this.#pipeline.logger.warn(`accepted an event, but receiver.start() was never called; fix: ${fix}`)
  }

  /** A delivery arrives. Without `start()`, a receiver without a queue takes its events from now on. */
  noteDelivery(): void {
    if (!this.#isNoted && !this.#pipeline.queue && !this.stopping.aborted) {
      this.#noteUse()
    }
  }

  /** Warns if another receiver of this process takes the same events. Otherwise no one would notice. */
  #noteUse(): void {
    this.#isNoted = true
    const warning = noteUse(this.#pipeline)
    if (warning) {
      this.#pipeline.logger.warn(warning)
    }
  }

  async start(options: object): Promise<void> {
    const { consume = true, announce = true } = givenOptions('start', options, ['consume', 'announce'])
    if (typeof consume !== 'boolean' || typeof announce !== 'boolean') {
      throw invalidOption('consume and announce must be booleans')
    }
    this.#isStarted = true
    // A `stop()` that still runs would wait for what starts now, and close its queue.
    const stops = this.#stops
    if (this.#stopped) {
      await this.#stopped
    }
    if (this.stopping.aborted && !this.#hasSignal && stops === this.#stops) {
      this.#stopping = new AbortController()
    }
    const { stopping } = this
    stopping.throwIfAborted()
    // The command line sets this variable. The process of an operator must not run handlers.
    const operator = globalThis.process?.env?.WEBHOOK_INBOX_CLI
    // A check would reject the module whose tables the command creates or upgrades.
    if (operator === 'migrate') {
      return
    }
    await this.#parts.check()
    // The check can take seconds. A receiver that was stopped meanwhile must not start.
    stopping.throwIfAborted()
    const { logger } = this.#pipeline
    const isOfOperator = Boolean(operator)
    for (const warning of startWarnings(this.#pipeline, consume && !isOfOperator)) {
      logger.warn(warning)
    }
    if (isOfOperator) {
      if (consume) {
        logger.warn(
          'start() runs nothing, because a command line has loaded the receiver (WEBHOOK_INBOX_CLI)',
        )
      }
      return
    }
    if (announce) {
      const { line, warnings } = this.#parts.announcement()
      logger.info(line)
      for (const warning of warnings) {
        logger.warn(warning)
      }
    }
    if (consume || !this.#pipeline.queue) {
      this.#noteUse()
    }
    await this.#parts.background.start(consume)
    // The queue may take seconds too. What it has opened was closed again.
    stopping.throwIfAborted()
  }

  async stop(options: { readonly drainSeconds?: number | undefined }): Promise<void> {
    givenOptions('stop', options, ['drainSeconds'])
    const { drainSeconds = 2 * this.#pipeline.handlerTimeoutSeconds } = options
    checkDrain(drainSeconds)
    this.#announceStop()
    this.#isNoted = false
    endUse(this.#pipeline)
    this.#stops++
    const ended = this.#end(drainSeconds)
    const stopped = Promise.allSettled([this.#stopped, ended]).then(() => {
      this.#stopped = this.#stopped === stopped ? undefined : this.#stopped
    })
    this.#stopped = stopped
    await ended
  }

  async #end(drainSeconds: number): Promise<void> {
    const ending = this.#parts.background.stop()
    const drained = ending.ended().then(() => this.#parts.underWay.none())
    // The process must be able to end even if a handler never settles.
    await new Deadline(drainSeconds).race(drained, () =>
      ending.abort(new Error(`the receiver stopped after ${drainSeconds} s`)),
    )
    await this.#pipeline.queue?.close?.()
  }
}
