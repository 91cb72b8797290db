import assert from 'node:assert/strict'
import type { FlowStore } from '../../store/flow-store.js'
import type { Store } from '../../store/store.js'
import type { Laws } from '../laws.js'
import { inboxOf } from './stored-event.js'

/** The part under test. A store that cannot hold events back has no such laws. */
export function flowOf(store: Store<unknown>): FlowStore {
  const { flow } = inboxOf(store)
  assert.ok(flow, 'the inbox has no flow')
  return flow
}

/** These laws hold if the inbox has the part. One without it has nothing to hold them to. */
export const withFlow = <Tx>(laws: Laws<Store<Tx>>): Laws<Store<Tx>> =>
  Object.fromEntries(
    Object.entries(laws).map(([name, law]) => [
      name,
      async (trial) => {
        if (inboxOf(await trial.make()).flow) {
          await law(trial)
        }
      },
    ]),
  )

/** Waits until it holds, for 30 s at most. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'it did not come about in 30 s')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
