import { fullMessage } from '../../error-text.js'
import { ConfigurationError, StoreError } from '../../errors.js'
import type { PgBossClient } from './pg-boss-engine.js'

/** SQLSTATE of a deadlock. */
const deadlock = '40P01'

/** How often to try, since processes that start together deadlock in pg-boss when they create one queue. */
const mostTries = 10

/**
 * Creates a queue unless it exists. Rejects with `ConfigurationError` `queue_not_started` when pg-boss is not started,
 * and with `StoreError` when its database does not respond.
 */
export async function createQueue(boss: PgBossClient, queue: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await boss.createQueue(queue)
      // pg-boss 10 and 11 do nothing and report no error when they are not started.
      if (!(await boss.getQueue(queue))) {
        throw new TypeError('pg-boss has not created its queue')
      }
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== deadlock || tries === mostTries) {
        throw toFault(error)
      }
      await new Promise((resolve) => setTimeout(resolve, 100 * tries * Math.random()))
    }
  }
}

function toFault(cause: unknown): Error {
  const said = cause instanceof Error ? fullMessage(cause) : String(cause)
  // If pg-boss is not started, version 12 fails an assertion, and 10 and 11 throw a TypeError for a missing result.
  const isNotStarted =
    cause instanceof TypeError || (cause instanceof Error && cause.name === 'AssertionError')
  if (!isNotStarted) {
    return new StoreError(`pg-boss could not create its queue (${said}); likely cause: its database`, {
      cause,
    })
  }
  return new ConfigurationError(
    'queue_not_started',
    `pg-boss does not answer (${said}); likely cause: it is not started; fix: await boss.start() before receiver.start()`,
    { cause },
  )
}
