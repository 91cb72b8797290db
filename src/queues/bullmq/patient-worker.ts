import type { Shutdown } from '../../timing/shutdown.js'
import type { BullMq } from './bullmq-engine.js'

/** How long a worker waits after Redis has refused to hand out a job. */
const refusedPauseSeconds = 1

/**
 * The class `Worker` with a pause after each failed fetch. BullMQ itself fetches again immediately, so a Redis that refuses
 * writes would get thousands of calls a second.
 */
export function patientWorker(Worker: BullMq['Worker'], shutdown: Shutdown): BullMq['Worker'] {
  // biome-ignore lint/suspicious/noExplicitAny: the types of a method differ between BullMQ 5 and 6
  const Base = Worker as any
  return class extends Base {
    /** A protected method of BullMQ, through which its main loop fetches. */
    async moveToActive(...given: unknown[]): Promise<unknown> {
      try {
        return await super.moveToActive(...given)
      } catch (error) {
        await shutdown.sleep(refusedPauseSeconds)
        throw error
      }
    }
  } as unknown as BullMq['Worker']
}
