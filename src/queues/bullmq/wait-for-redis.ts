import { fullMessage } from '../../error-text.js'
import { StoreError } from '../../errors.js'
import { Deadline } from '../../timing/deadline.js'

/** How long to wait for Redis. A client that has lost its server would wait forever. */
const patienceSeconds = 5

const late = Symbol('late')

/** Rejects with `StoreError` when Redis is late. `cause` is what the client has reported, if it has. */
export async function waitForRedis<T>(
  work: Promise<T>,
  doing: string,
  cause: () => unknown = () => undefined,
): Promise<T> {
  const outcome = await new Deadline(patienceSeconds).race<T | typeof late>(work, () => late)
  if (outcome !== late) {
    return outcome
  }
  const said = cause()
  const detail = said instanceof Error ? ` (${fullMessage(said) || said.name})` : ''
  throw new StoreError(
    `the Redis of bullmqQueue did not ${doing} within ${patienceSeconds} s${detail}; likely cause: it is down, unreachable or overloaded; fix: check the connection option`,
    { cause: said },
  )
}
