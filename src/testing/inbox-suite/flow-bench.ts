import assert from 'node:assert/strict'
import type { FlowStore } from '../../store/flow-store.js'
import type { Store } from '../../store/store.js'
import { capabilityOf } from './capabilities.js'

export const flowOf = (store: Store<unknown>): FlowStore => capabilityOf(store, 'flow')

/** Waits until it holds, for 30 s at most. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'it did not come about in 30 s')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
