import type { Flight } from './single-flight.js'
import type { OnceOutcome } from './store.js'

/** Waits a little for the run that another delivery in this process has begun. */
export async function joinConcurrent(
  { run, contentHash }: Pick<Flight<OnceOutcome<unknown>>, 'run' | 'contentHash'>,
  waitSeconds: number,
): Promise<OnceOutcome<never>> {
  const outcome = await settledWithin(waitSeconds, run)
  if (outcome?.state === 'done') return { state: 'duplicate', contentHash }
  if (outcome?.state === 'duplicate') return outcome
  return { state: 'busy', retryAfterSeconds: 1 }
}

/** What the run comes to, if it ends in time. Then its timer ends too: it must not keep a process from ending. */
function settledWithin<T>(seconds: number, run: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    run.then(resolve, () => resolve(undefined)).finally(() => clearTimeout(timer))
  })
}
