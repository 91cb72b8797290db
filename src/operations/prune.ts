import type { Settings } from '../options/settings.js'

/** How many rows one call to the store deletes. */
const batch = 1000

export type Pruned = Pick<Settings, 'store' | 'retentionSeconds' | 'quarantineRetentionSeconds'>

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
  // Not counted: what operators have discarded, their plans, and groups of failures.
  await inBatches(async () => store.inbox?.bulk?.pruneDiscarded(batch) ?? 0, isOver)
  await inBatches(async () => store.inbox?.bulk?.prunePlans(retentionSeconds, batch) ?? 0, isOver)
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
