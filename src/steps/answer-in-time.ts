import { HandlerFailure } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import { type ReceiveResult, reject } from '../result.js'
import type { Deadline } from '../timing/deadline.js'
import type { VerifiedDelivery } from '../verified-delivery.js'

/** Resolves to the result of the work. If the time is up first, resolves to the result of `late`. Never rejects. */
export function answerInTime(
  { track }: Pipeline,
  deadline: Deadline,
  delivery: VerifiedDelivery,
  work: Promise<ReceiveResult>,
  late: () => ReceiveResult,
): Promise<ReceiveResult> {
  function answerLate(): ReceiveResult {
    track(work)
    return late()
  }
  return deadline.race(work, answerLate, (error) => toFailure(error, delivery))
}

/** The result for an error. A `HandlerFailure` comes from user code, any other error from the store. */
export function toFailure(error: unknown, delivery: VerifiedDelivery): ReceiveResult {
  if (error instanceof HandlerFailure) {
    const { cause, detail, attempt } = error
    return reject('handler_failed', { ...delivery, attempt: delivery.attempt ?? attempt, cause, detail })
  }
  return reject('store_unavailable', { ...delivery, cause: error })
}
