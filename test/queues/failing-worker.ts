import type { Job } from '../../src/queue/queue.js'
import type { Inbox } from '../../src/store/inbox.js'

/** A worker that fails with the given errors in order, and marks events dead in the inbox. */
export function failingWorker(
  endpoint: string,
  inbox: Pick<Inbox<never>, 'markDead'>,
  failures: readonly Error[],
) {
  const thrown: (Error | undefined)[] = []
  const buried: unknown[] = []
  return {
    thrown,
    buried,
    worker: {
      endpoint,
      async run() {
        const error = failures[thrown.length]
        thrown.push(error)
        throw error
      },
      async markDead({ key }: Job, error: unknown) {
        buried.push(error)
        await inbox.markDead(key, String(error))
      },
    },
  }
}
