import { setImmediate } from 'node:timers/promises'

/** Does work that reads a whole body, after what waits already. The process also serves deliveries. */
export async function inTurn<Value>(work: () => Value): Promise<Value> {
  await setImmediate()
  return work()
}
