import { registerLaws, type SuiteOptions, type TestFunction } from './laws.js'
import { Bench } from './queue-suite/bench.js'
import { crashLaws } from './queue-suite/crash.js'
import { orderLaws } from './queue-suite/order.js'
import { retryLaws } from './queue-suite/retry.js'
import { runLaws } from './queue-suite/run.js'
import type { QueueSettings, QueueTrial, Victim } from './queue-suite/trial.js'

export type { QueueSettings, QueueTrial, Victim }

export interface QueueSuiteOptions extends SuiteOptions {
  /**
   * Starts another process that consumes the queue of a space for its endpoint of the same name, with a handler that
   * never settles; resolves when a handler has begun. Without it the laws of crashes are not tried.
   */
  readonly startVictim?: (settings: QueueSettings) => Promise<Victim>
  /** How long the job of a process that was killed may take to be run again. Default 60 s. */
  readonly recoverySeconds?: number
}

/**
 * Registers a test for every law of a {@link Queue}, your own or one of ours:
 *
 *     queueSuite(test, ({ space, concurrency, retry }) => ({ queue, store, close }))
 *
 * `test` is that of vitest, jest or node:test. `makeQueue` is called once or more in each test; all that it makes stand
 * on one backend. A law of retries takes about 15 s with the pauses of a second that every engine has.
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
