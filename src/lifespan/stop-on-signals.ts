import { invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { LineLog } from '../report/logger.js'
import { Deadline } from '../timing/deadline.js'

/** How a program ends on a signal. */
export interface SignalOptions {
  /** Runs first, and `stop()` waits for it: close the server here, so that no delivery arrives any more. */
  readonly before?: (() => unknown) | undefined
  /** How long `stop()` waits for `before`, in seconds; default 10. An open connection may keep a server from closing. */
  readonly beforeSeconds?: number | undefined
  /** Runs last, such as to close a pool. The process then ends when nothing else keeps it. */
  readonly after?: (() => unknown) | undefined
  /** See `stop()`. */
  readonly drainSeconds?: number | undefined
}

const signals = ['SIGTERM', 'SIGINT'] as const

/** What a signal does to the receiver. */
export interface Stoppable {
  /** Ends what keeps a server from closing. Runs before `before`. */
  announce(): void
  stop(options: { readonly drainSeconds?: number | undefined }): Promise<void>
}

/**
 * Stops once on SIGTERM or SIGINT. A second signal ends the process immediately, as if there were no listener. Returns a
 * function that removes the listeners. Does nothing if there is no process, as in a Worker.
 */
export function stopOnSignals(receiver: Stoppable, options: SignalOptions, logger: LineLog): () => void {
  givenOptions('stopOnSignals', options, ['before', 'beforeSeconds', 'after', 'drainSeconds'])
  const { before, beforeSeconds = 10, after, ...stopOptions } = options
  for (const [name, step] of Object.entries({ before, after })) {
    if (step !== undefined && typeof step !== 'function') {
      throw invalidOption(`${name} must be a function`)
    }
  }
  if (!(Number.isFinite(beforeSeconds) && beforeSeconds >= 0)) {
    throw invalidOption('beforeSeconds must be a number of seconds')
  }
  if (stopOptions.drainSeconds !== undefined) {
    checkDrain(stopOptions.drainSeconds)
  }
  const { process } = globalThis
  if (typeof process?.on !== 'function') {
    return () => {}
  }

  /** A failing step must not keep the next one from its work. */
  async function run(name: string, step: (() => unknown) | undefined): Promise<void> {
    try {
      await step?.()
    } catch (error) {
      process.exitCode = 1
      logger.error(`${name} failed while the receiver stopped`, error)
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    logger.info(`stopping on ${signal}; a second signal ends the process`)
    receiver.announce()
    await run('before', before && (() => limited(before, beforeSeconds)))
    await run('stop', () => receiver.stop(stopOptions))
    await run('after', after)
    remove()
  }

  let isStopping = false
  function onSignal(signal: NodeJS.Signals): void {
    if (isStopping) {
      // Without our listeners the signal does what it does by default.
      remove()
      process.kill(process.pid, signal)
      return
    }
    isStopping = true
    void end(signal)
  }

  function remove(): void {
    for (const signal of signals) {
      process.off(signal, onSignal)
    }
  }

  for (const signal of signals) {
    process.on(signal, onSignal)
  }
  return remove
}

/** Throws `ConfigurationError` `invalid_option`. Without this, NaN would drop what runs immediately. */
export function checkDrain(drainSeconds: unknown): void {
  if (!Number.isFinite(drainSeconds) || (drainSeconds as number) < 0) {
    throw invalidOption('drainSeconds must be zero or more seconds')
  }
}

/** Rejects when the step takes longer. It continues then, beside the steps after it. */
async function limited(step: () => unknown, seconds: number): Promise<void> {
  const late = `not done within ${seconds} s; close open connections too, as closeAllConnections() does`
  await new Deadline(seconds).race<unknown>(Promise.resolve(step()), () => Promise.reject(new Error(late)))
}
