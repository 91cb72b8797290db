import { type Pruned, prune } from '../operations/prune.js'
import type { Settings } from '../options/settings.js'
import type { Shutdown } from '../timing/shutdown.js'

/**
 * Prunes periodically until the shutdown begins. The first run is at a random moment of the first period, so that
 * processes that start together do not prune together. A failure is logged, and the next run retries.
 */
export async function pruneRegularly(
  { logger, ...settings }: Pruned & Pick<Settings, 'logger'>,
  everySeconds: number,
  shutdown: Shutdown,
): Promise<void> {
  await shutdown.sleep(Math.random() * everySeconds, { keepsProcess: false })
  while (!shutdown.hasBegun) {
    try {
      await prune(settings, () => shutdown.hasBegun)
    } catch (error) {
      logger.error(`pruning failed; it is retried in ${everySeconds} s`, error)
    }
    await shutdown.sleep(everySeconds, { keepsProcess: false })
  }
}
