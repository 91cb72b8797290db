import type { OnceOutcome } from './store.js'

/** A run of an event that several deliveries in this process share. */
export interface Flight {
  readonly contentHash: string
  readonly outcome: OnceOutcome<unknown>
}

/** Waits a little for the run that another delivery in this process has begun. */
export async function joinTwin(twin: Promise<Flight>, waitSeconds: number): Promise<OnceOutcome<never>> {
  const flight = await Promise.race([twin.catch(() => undefined), sleep(waitSeconds)])
  if (flight?.outcome.state === 'done') return { state: 'duplicate', contentHash: flight.contentHash }
  if (flight?.outcome.state === 'duplicate') return flight.outcome
  return { state: 'busy', retryAfterSeconds: 1 }
}

const sleep = (seconds: number) => new Promise<undefined>((resolve) => setTimeout(resolve, seconds * 1000))
