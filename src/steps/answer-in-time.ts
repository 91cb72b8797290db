import { HandlerFailure, PayloadError } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import { type ReceiveResult, reject } from '../result.js'
import type { Deadline } from '../timing/deadline.js'
import type { Unusable } from './authentic.js'

/** Answers with what the work comes to, a failure included, or with what `late` says when the time is up. */
export function answerInTime(
  { track }: Pipeline,
  deadline: Deadline,
  read: Unusable,
  work: () => Promise<ReceiveResult>,
  late: () => ReceiveResult,
): Promise<ReceiveResult> {
  const answer = work()
  const whenLate = () => {
    track(answer)
    return late()
  }
  return deadline.race(answer, whenLate, (error) => toFailure(error, read))
}

/** What a failure on the way to the acknowledgement is answered with. */
export function toFailure(error: unknown, read: Unusable): ReceiveResult {
  if (error instanceof HandlerFailure) {
    return reject('handler_failed', { ...read, cause: error.cause, detail: error.detail })
  }
  // The schema may be at fault as well as the sender, so nothing is acknowledged that could not be run later.
  if (error instanceof PayloadError) return reject(error.code, { ...read, detail: error.detail })
  return reject('store_unavailable', { ...read, cause: error })
}
