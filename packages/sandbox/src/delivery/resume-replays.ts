import type { Context } from '../context.js'

/**
 * Makes replays due that an earlier process did not finish. A replay has no due time, because the call that requested it also
 * starts it. That call ended with the process.
 */
export function resumeReplays({ database, clock }: Pick<Context, 'database' | 'clock'>): void {
  database
    .prepare(
      "UPDATE deliveries SET due_at = ? WHERE state = 'pending' AND due_at IS NULL AND waits_for IS NULL",
    )
    .run(clock.now())
}
