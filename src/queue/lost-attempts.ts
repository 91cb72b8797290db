import { JobNotDone } from '../errors.js'
import type { Filled } from '../given-options.js'
import type { StoredEvent } from '../store/inbox.js'
import type { Retry } from '../timing/backoff.js'

/** With fewer, the process may have ended for another reason, such as a deployment or another event. */
const leastLost = 5

/**
 * The error of an event whose attempts are exhausted, and whose last ones left nothing: the process ended, or lost its claim. An
 * event that ends its process notes no failure, so without this it would run forever. `undefined` for any other event. `deaths` is
 * how often the process of the job has ended in it, if the engine knows.
 */
export function lostTooOften(
  { attempts: most }: Filled<Retry>,
  { generation, failures, attempts = [] }: StoredEvent,
  deaths = 0,
): JobNotDone | undefined {
  const noted = attempts.filter((each) => each.generation === generation)
  const lost = Math.max(
    deaths,
    noted.reduce((sum, { lost = 0 }) => sum + lost, 0),
  )
  return lost >= leastLost && failures + lost >= most
    ? new JobNotDone(`its process ended, or lost its claim, in ${lost} attempts`)
    : undefined
}
