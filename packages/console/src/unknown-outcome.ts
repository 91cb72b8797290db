import { Problem, problemOf } from './problem.js'
import type { Route } from './routes/route.js'
import { lateAnswer } from './within-seconds.js'

type Act = Route & { readonly method: 'POST' }

/** What to say of a change whose work continues after the time limit. A preparation changes nothing. */
export const lateAct = (route: Act) => (seconds: number) => {
  const { code, message } = lateAnswer('The database')(seconds)
  return new Problem(code, route.isPreparation ? message : `${message} ${unknown(route)}`)
}

/** As `work`, but if the store failed, says that the change may have been made: its last reply may be lost. */
export async function orUnknown<Value>(
  route: Act,
  log: (line: string, cause: unknown) => void,
  work: Promise<Value>,
): Promise<Value> {
  try {
    return await work
  } catch (error) {
    const problem = problemOf(error, log)
    throw problem.code === 'store_unavailable' && !route.isPreparation
      ? new Problem(problem.code, `${unknown(route)} The log of the program says why.`)
      : problem
  }
}

const unknown = ({ isOnce }: Act): string =>
  `It is not known whether it happened. Look before you try again.${isOnce ? ' A second try cannot do it twice.' : ''}`
