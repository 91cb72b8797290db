import { registerLaws, type SuiteOptions, type TestFunction } from './laws.js'
import { Bench } from './queue-suite/bench.js'
import { crashLaws } from './queue-suite/job-crash-laws.js'
import { orderLaws } from './queue-suite/job-order-laws.js'
import { retryLaws } from './queue-suite/job-retry-laws.js'
import { runLaws } from './queue-suite/job-run-laws.js'
import type { QueueSettings, QueueTrial, Victim } from './queue-suite/trial.js'

export type { QueueSettings, QueueTrial, Victim }

export interface QueueSuiteOptions extends SuiteOptions {
  /**
   * Starts another process that consumes the queue of a space, for the endpoint of the same name. Its handler never
   * settles. Resolves when a handler has begun. Without this option the laws of crashes are not tested.
   */
  readonly startVictim?: ((settings: QueueSettings) => Promise<Victim>) | undefined
  /** Longest time until another process runs the job of a killed one, in seconds. Default 60. */
  readonly recoverySeconds?: number | undefined
}

/**
 * Registers a test for every rule of the `Queue` interface.
 *
 * `test` is the function of vitest, jest or node:test. A test calls `makeQueue` one or more times, and all queues use the
 * same backend. A law of retries takes about 15 s, because engines wait a second or more before a retry.
 *
 * @example
 * queueSuite(test, async ({ space, concurrency, retry }) => {
 *   const store = sqliteStore(`${space}.sqlite`)
 *   return { queue: localQueue({ concurrency, retry }), store, close: () => store.close() }
 * })
 */
export function queueSuite<Tx>(
  test: TestFunction,
  makeQueue: (settings: QueueSettings) => QueueTrial<Tx> | Promise<QueueTrial<Tx>>,
  { startVictim, recoverySeconds = 60, ...options }: QueueSuiteOptions = {},
): void {
  const laws = {
    ...runLaws<Tx>(),
    ...retryLaws<Tx>(),
    ...orderLaws<Tx>(),
    ...(startVictim && crashLaws<Tx>(startVictim, recoverySeconds)),
  }
  registerLaws(test, laws, () => new Bench(makeQueue), options)
}
