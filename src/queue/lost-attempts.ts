import { JobNotDone } from '../errors.js'
import type { Filled } from '../given-options.js'
import type { Inbox, StoredEvent } from '../store/inbox.js'
import type { Retry } from '../timing/backoff.js'

/** With fewer, the process may have ended for another reason, such as a deployment or another event. */
const leastLost = 5

interface Claims {
  /** The event as `inbox.due` returned it, without its attempts. */
  readonly found?: StoredEvent | undefined
  /** How often the process of the job has ended in it, if the engine knows. */
  readonly deaths?: number | undefined
}

/**
 * The error of an event whose attempts are exhausted, and whose last ones left nothing: the process ended, or lost its claim. An
 * event that ends its process notes no failure, so without this it would run forever. `undefined` for any other event.
 */
export async function lostTooOften(
  inbox: Pick<Inbox<unknown>, 'read'>,
  { attempts: most }: Filled<Retry>,
  event: StoredEvent,
  { found, deaths = 0 }: Claims,
): Promise<JobNotDone | undefined> {
  // It is read only if it was claimed more often than it failed.
  const isUnclear = found && found.attempt > found.failures
  const { generation, attempts = [] } = isUnclear ? ((await inbox.read(found.key)) ?? event) : event
  const noted = attempts.filter((each) => each.generation === generation)
  const lost = Math.max(
    deaths,
    noted.reduce((sum, { lost = 0 }) => sum + lost, 0),
  )
  return lost >= leastLost && event.failures + lost >= most
    ? new JobNotDone(`its process ended, or lost its claim, in ${lost} attempts`)
    : undefined
}
