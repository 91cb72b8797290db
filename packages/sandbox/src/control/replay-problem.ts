import { Problem, type ProblemCode } from '../api/problems.js'
import { ReplayError } from '../delivery/replay.js'

const codes: Readonly<Record<ReplayError['code'], ProblemCode>> = {
  event_not_found: 'not_found',
  delivery_not_found: 'not_found',
  no_subscription: 'not_deliverable',
  not_sent_yet: 'not_deliverable',
  under_way: 'not_deliverable',
  invalid_times: 'invalid_request',
}

/** Turns the error of an impossible replay into a problem. */
export async function refusing<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ReplayError) {
      throw new Problem(codes[error.code], `${error.message}.`)
    }
    throw error
  }
}
