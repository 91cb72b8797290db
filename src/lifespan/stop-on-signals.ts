import { invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { LineLog } from '../report/logger.js'

/** How a program ends on a signal. */
export interface SignalOptions {
  /** Runs first, and `stop()` waits for it: close the server here, so that no delivery arrives any more. */
  readonly before?: () => unknown
  /** Runs last, such as to close a pool. The process then ends when nothing else keeps it. */
  readonly after?: () => unknown
  /** See `stop()`. */
  readonly drainSeconds?: number
}

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Stops once on SIGTERM or SIGINT. A second signal ends the process immediately, as if there were no listener. Returns a
 * function that removes the listeners. Does nothing where there is no process, as in a Worker.
 */
export function stopOnSignals(
  stop: (options: { readonly drainSeconds?: number }) => Promise<void>,
  options: SignalOptions,
  logger: LineLog,
): () => void {
  givenOptions('stopOnSignals', options, ['before', 'after', 'drainSeconds'])
  const { before, after, ...stopOptions } = options
  for (const [name, step] of Object.entries({ before, after })) {
    if (step !== undefined && typeof step !== 'function') {
      throw invalidOption(`${name} must be a function`)
    }
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
      logger.error(`webhook-inbox: ${name} failed while the receiver stopped`, error)
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    logger.info(`webhook-inbox: stopping on ${signal}; a second signal ends the process`)
    await run('before', before)
    await run('stop', () => stop(stopOptions))
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
