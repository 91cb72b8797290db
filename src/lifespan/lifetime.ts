import { invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Pipeline } from '../options/settings.js'
import { Deadline } from '../timing/deadline.js'
import type { UnderWay } from '../timing/under-way.js'
import type { Background } from './background.js'
import { startWarnings } from './start-warnings.js'
import { checkDrain } from './stop-on-signals.js'

/** Starts and stops a receiver. */
export class Lifetime {
  readonly #pipeline: Pipeline
  readonly #background: Background
  readonly #underWay: UnderWay
  readonly #describe: () => string
  readonly #stopping = new AbortController()
  #isStarted = false

  /** `stop()` waits for what is under way. `describe` returns the line that `start()` logs. */
  constructor(pipeline: Pipeline, background: Background, underWay: UnderWay, describe: () => string) {
    this.#pipeline = pipeline
    this.#background = background
    this.#underWay = underWay
    this.#describe = describe
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Ends what keeps a server from closing, ahead of `stop()`. */
  announceStop(): void {
    this.#stopping.abort()
  }

  /** An event was accepted. Without the warning an operator would not notice that the events do not run. */
  noteAccepted(): void {
    if (this.#isStarted) {
      return
    }
    this.#isStarted = true
    const fix = 'call await receiver.start(), with consume: false where another process runs the events'
    this.#pipeline.logger.warn(
      `webhook-inbox: accepted an event, but receiver.start() was never called; fix: ${fix}`,
    )
  }

  async start(options: object): Promise<void> {
    const { consume = true, announce = true } = givenOptions('start', options, ['consume', 'announce'])
    if (typeof consume !== 'boolean' || typeof announce !== 'boolean') {
      throw invalidOption('consume and announce must be booleans')
    }
    this.#isStarted = true
    const { ready, queue, endpoint, logger } = this.#pipeline
    await ready()
    await queue?.check?.(endpoint)
    // The command line sets this variable. The process of an operator must not run handlers.
    const isOfOperator = Boolean(globalThis.process?.env?.WEBHOOK_INBOX_CLI)
    for (const warning of startWarnings(this.#pipeline, consume && !isOfOperator)) {
      logger.warn(`webhook-inbox: ${warning}`)
    }
    if (isOfOperator) {
      if (consume) {
        logger.warn(
          'webhook-inbox: start() runs nothing, because a command line has loaded the receiver (WEBHOOK_INBOX_CLI)',
        )
      }
      return
    }
    if (announce) {
      logger.info(`webhook-inbox: ${this.#describe()}`)
    }
    await this.#background.start(consume)
  }

  async stop(options: { readonly drainSeconds?: number }): Promise<void> {
    givenOptions('stop', options, ['drainSeconds'])
    const { queue, handlerTimeoutSeconds } = this.#pipeline
    const { drainSeconds = 2 * handlerTimeoutSeconds } = options
    checkDrain(drainSeconds)
    this.announceStop()
    const ending = this.#background.stop()
    const drained = ending.ended().then(() => this.#underWay.none())
    // The process must be able to end even if a handler never settles.
    await new Deadline(drainSeconds).race(drained, () =>
      ending.abort(new Error(`the receiver stopped after ${drainSeconds} s`)),
    )
    await queue?.close?.()
  }
}
