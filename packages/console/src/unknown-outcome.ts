import { Problem, problemOf } from './problem.js'
import type { Route } from './routes/route.js'
import { unknownWords } from './unknown-words.js'
import { lateAnswer } from './within-seconds.js'

type Act = Route & { readonly method: 'POST' }

/** What to say of a change whose work continues after the time limit. */
export const lateAct = (route: Act) => (seconds: number) =>
  unknownOf(route, lateAnswer('The database')(seconds))

/**
 * As `work`, but says if the change may have been made in spite of the error. The reply of the store may be lost, or a part may be
 * done.
 */
export async function orUnknown<Value>(
  route: Act,
  log: (line: string, cause: unknown) => void,
  {
    what,
    work,
  }: {
    /** The change and its person, for the log. */ readonly what: () => string
    readonly work: Promise<Value>
  },
): Promise<Value> {
  try {
    return await work
  } catch (error) {
    const problem = problemOf(error, () => {})
    const fact = facts[problem.code]
    if (fact !== undefined) {
      if (!route.isPreparation) {
        log(`webhook-inbox-console: the outcome is unknown of ${what()}`, error)
      } else if (problem.code !== 'too_slow') {
        log(`webhook-inbox-console: a request failed`, error)
      }
      throw unknownOf(route, new Problem(problem.code, fact), ' The log of the program says why.')
    }
    throw problem.code === 'busy' && route.isInParts ? unknownOf(route, problem) : problem
  }
}

/** As `work`, but says of every other error that nothing was changed. A preparation never changes anything. */
export async function orUnchanged<Value>(
  route: Act,
  log: (line: string, cause: unknown) => void,
  work: Promise<Value>,
): Promise<Value> {
  try {
    return await work
  } catch (error) {
    const problem = problemOf(error, log)
    const { code, message, also, saysOutcome } = problem
    if (route.isPreparation || saysOutcome) {
      throw problem
    }
    const next = code.startsWith('rights_') ? ' You can try again.' : ''
    throw new Problem(code, `${message.replace(/[^.]$/, '$&.')} Nothing was changed.${next}`, also)
  }
}

/** After these the change may have been made. */
const facts: Partial<Record<Problem['code'], string>> = {
  internal_error: 'The console failed.',
  store_unavailable: 'The database did not respond.',
  too_slow: 'The database did not finish it in time.',
}

function unknownOf(route: Act, { code, message }: Problem, end = ''): Problem {
  if (route.isPreparation) {
    return new Problem(code, `${message}${end}`)
  }
  const once = route.isOnce ? ' A second try cannot do it twice.' : ''
  return new Problem(code, `${message} ${unknownWords(route.path.slice(1))}${once}${end}`, {}, true)
}
