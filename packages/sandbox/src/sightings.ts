import { attemptRecord, deliveryRecord } from './control/control-records.js'
import type { AttemptNotice } from './delivery/attempt-notice.js'
import { attemptsOf } from './delivery/attempts.js'
import { readDelivery } from './delivery/deliveries.js'
import { type DeliveryFilter, findAttempt } from './delivery/find-attempt.js'
import type { Service } from './service.js'

/** A delivery and the attempt that was found. */
export type SeenDelivery = ReturnType<typeof deliveryRecord> & {
  readonly attempt: ReturnType<typeof attemptRecord>
}

interface Waiting {
  readonly matches: (seen: SeenDelivery) => boolean
  readonly resolve: (seen: SeenDelivery) => void
  readonly reject: (error: Error) => void
}

/** `setTimeout` treats a longer delay as zero. */
const longestDelay = 2 ** 31 - 1

/** Finds attempts that have ended, and waits for those that have not. */
export class Sightings {
  readonly #service: Service
  readonly #waiting = new Set<Waiting>()

  constructor(service: Service) {
    this.#service = service
  }

  note(notice: AttemptNotice): void {
    if (notice.phase !== 'ended' || this.#waiting.size === 0) {
      return
    }
    const seen = { ...deliveryRecord(notice.delivery), attempt: attemptRecord(notice.attempt) }
    for (const waiting of this.#waiting) {
      if (waiting.matches(seen)) {
        waiting.resolve(seen)
      }
    }
  }

  wait(filter: DeliveryFilter, timeoutSeconds: number): Promise<SeenDelivery> {
    const matches = (seen: SeenDelivery) => isMatch(filter, seen)
    const past = this.#past(filter)
    if (past) {
      return Promise.resolve(past)
    }
    let timer: NodeJS.Timeout | undefined
    let waiting: Waiting | undefined
    return new Promise<SeenDelivery>((resolve, reject) => {
      waiting = { matches, resolve, reject }
      this.#waiting.add(waiting)
      const late = () =>
        reject(new Error(`No delivery matched ${JSON.stringify(filter)} within ${timeoutSeconds} s.`))
      timer = setTimeout(late, Math.min(timeoutSeconds * 1000, longestDelay))
    }).finally(() => {
      clearTimeout(timer)
      if (waiting) {
        this.#waiting.delete(waiting)
      }
    })
  }

  close(): void {
    for (const { reject } of this.#waiting) {
      reject(new Error('The sandbox was closed.'))
    }
  }

  #past(filter: DeliveryFilter): SeenDelivery | undefined {
    const { database } = this.#service
    const { deliveryId, number } = findAttempt(database, filter) ?? {}
    const delivery = deliveryId === undefined ? undefined : readDelivery(database, deliveryId)
    const attempt = delivery && attemptsOf(database, delivery).find((one) => one.number === number)
    return attempt && { ...deliveryRecord(delivery), attempt: attemptRecord(attempt) }
  }
}

function isMatch(
  { type, eventId, outcome, status }: DeliveryFilter,
  { attempt, ...seen }: SeenDelivery,
): boolean {
  return (
    (type === undefined || seen.eventType === type) &&
    (eventId === undefined || seen.eventId === eventId) &&
    (outcome === undefined || attempt.outcome === outcome) &&
    (status === undefined || attempt.response?.status === status)
  )
}
