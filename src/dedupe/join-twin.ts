import type { OnceOutcome } from './store.js'

/** A run of an event that several deliveries in this process share. */
export interface Flight {
  readonly contentHash: string
  readonly outcome: OnceOutcome<unknown>
}

/** Waits a little for the run that another delivery in this process has begun. */
export async function joinTwin(twin: Promise<Flight>, waitSeconds: number): Promise<OnceOutcome<never>> {
  const flight = await settledWithin(waitSeconds, twin)
  if (flight?.outcome.state === 'done') return { state: 'duplicate', contentHash: flight.contentHash }
  if (flight?.outcome.state === 'duplicate') return flight.outcome
  return { state: 'busy', retryAfterSeconds: 1 }
}

/** The flight, if it ends in time. Then its timer ends too: a process must not be kept from ending by it. */
function settledWithin(seconds: number, twin: Promise<Flight>): Promise<Flight | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    twin.then(resolve, () => resolve(undefined)).finally(() => clearTimeout(timer))
  })
}
