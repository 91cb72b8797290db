import type { Settings } from './options/settings.js'
import type { Shutdown } from './timing/shutdown.js'

/** How many rows one call to the store deletes. */
const batch = 1000

type Pruned = Pick<Settings, 'store' | 'retentionSeconds' | 'quarantineRetentionSeconds'>

/**
 * Deletes events and quarantined deliveries that are older than their retention. Works in batches until nothing is left
 * or `isOver` returns true. Resolves to the number of deleted rows.
 */
export async function prune(
  { store, retentionSeconds, quarantineRetentionSeconds = retentionSeconds }: Pruned,
  isOver = () => false,
): Promise<number> {
  const before = new Date(Date.now() - retentionSeconds * 1000)
  const events = await inBatches(() => store.prune(before, batch), isOver)
  const deliveries = await inBatches(
    async () => store.inbox?.pruneQuarantine(quarantineRetentionSeconds, batch) ?? 0,
    isOver,
  )
  // Not counted here: an operator discarded these.
  await inBatches(async () => store.inbox?.bulk?.pruneDiscarded(batch) ?? 0, isOver)
  // Not counted here: a plan is not a delivery of a sender.
  await inBatches(async () => store.inbox?.bulk?.prunePlans(retentionSeconds, batch) ?? 0, isOver)
  // Not counted here: a group of failures is not a delivery of a sender.
  await inBatches(async () => store.inbox?.failures?.prune(retentionSeconds, batch) ?? 0, isOver)
  await store.inbox?.flow?.pruneCircuits(circuitSeconds)
  return events + deliveries
}

/** A type that has not failed for a day starts its count again. */
const circuitSeconds = 86_400

/** Deletes batches until one is not full. Resolves to the number of deleted rows. */
async function inBatches(deleteBatch: () => Promise<number>, isOver: () => boolean): Promise<number> {
  let total = 0
  for (let count = batch; count >= batch && !isOver(); total += count) {
    count = await deleteBatch()
  }
  return total
}

/**
 * Prunes periodically until the shutdown begins. The first run is at a random moment of the first period, so that
 * processes that start together do not prune together. A failure is logged, and the next run tries again.
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
      logger.error(`webhook-inbox: pruning failed; it is tried again in ${everySeconds} s`, error)
    }
    await shutdown.sleep(everySeconds, { keepsProcess: false })
  }
}
