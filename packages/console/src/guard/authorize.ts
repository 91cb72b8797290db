import { isBlank } from '../is-blank.js'
import type { Resolved } from '../options.js'
import { Problem } from '../problem.js'
import type { ConsoleAction } from '../wire.js'
import { withinSeconds } from '../within-seconds.js'

/** The actions that only read. A read-only console permits nothing else. */
export const readActions: readonly ConsoleAction[] = [
  'overview:read',
  'events:read',
  'bodies:read',
  'audits:read',
]

const actActions: readonly ConsoleAction[] = [
  'events:replay',
  'events:retry',
  'events:give-up',
  'events:discard',
  'events:edit',
  'deliveries:verify',
  'groups:write',
  'consumption:pause',
]

/** Whether a person may do something, or why that is not known: `authorize` failed, or took too long. The cause is logged. */
export async function rightOf(
  options: Resolved,
  caller: unknown,
  action: ConsoleAction,
): Promise<boolean | Problem> {
  if (options.readOnly && !readActions.includes(action)) {
    return false
  }
  try {
    const answer = await ask(options, 'authorize', action, () => options.authorize(caller, action))
    if (answer && answer !== true) {
      logOdd(options, typeof answer)
    }
    return answer === true
  } catch (problem) {
    return problem as Problem
  }
}

/** The consoles whose `authorize` has returned what looks like a permission. */
const odd = new WeakSet<Resolved>()

/** Logs it once: each view asks for several rights. */
function logOdd(options: Resolved, type: string): void {
  if (!odd.has(options)) {
    odd.add(options)
    options.logger.error(
      `webhook-inbox-console: authorize returned the type ${type}; only true permits anything`,
    )
  }
}

/** Whether a person may do something. Only `true` permits it. An error or a timeout denies it and is logged. */
export const may = async (options: Resolved, caller: unknown, action: ConsoleAction): Promise<boolean> =>
  (await rightOf(options, caller, action)) === true

/**
 * Which of these a person may do. Throws a `Problem` if that is nothing and `authorize` failed, because a fault of the program
 * must not look like a lost right.
 */
export async function permittedOf(
  options: Resolved,
  caller: unknown,
  actions: readonly ConsoleAction[],
): Promise<ConsoleAction[]> {
  const answers = await Promise.all(actions.map((action) => rightOf(options, caller, action)))
  const permitted = actions.filter((_, index) => answers[index] === true)
  const problem = answers.find((answer) => answer instanceof Problem)
  if (permitted.length === 0 && problem) {
    throw problem
  }
  return permitted
}

/** Throws a `Problem` unless the person may do this. */
export const requireRight = (options: Resolved, caller: unknown, action: ConsoleAction): Promise<void> =>
  requireAnyOf(options, caller, [action])

/** Throws a `Problem` unless the person may do at least one of these. */
export async function requireAnyOf(
  options: Resolved,
  caller: unknown,
  actions: readonly ConsoleAction[],
): Promise<void> {
  if (options.readOnly && !actions.some((action) => readActions.includes(action))) {
    throw new Problem('read_only', 'This console was mounted with readOnly: true.')
  }
  if ((await permittedOf(options, caller, actions)).length === 0) {
    const needed = actions.length === 1 ? 'the right' : 'one of the rights'
    throw new Problem('forbidden', `This needs ${needed} ${actions.join(', ')}.`)
  }
}

/** Everything that a person may do. Throws as {@link permittedOf}. */
export const rightsOf = (options: Resolved, caller: unknown): Promise<ConsoleAction[]> =>
  permittedOf(options, caller, [...readActions, ...actActions])

/** The name for the audit. Throws a `Problem` if there is none, or if `actor` failed, because every change needs an actor. */
export async function actorOf(options: Resolved, caller: unknown): Promise<string> {
  const actor = await ask(options, 'actor', 'a change', () => options.actor?.(caller))
  if (typeof actor === 'string' && !isBlank(actor)) {
    return actor
  }
  throw new Problem('forbidden', 'The program does not say who you are, so nothing can be changed.')
}

/** Calls a function of the program. Rejects with a `Problem` if it fails or takes too long, and logs that. */
async function ask(
  { limits, logger }: Resolved,
  name: 'authorize' | 'actor',
  purpose: string,
  call: () => unknown,
): Promise<unknown> {
  const log = (error: unknown) => logger.error(`webhook-inbox-console: ${name} failed for ${purpose}`, error)
  async function answer(): Promise<unknown> {
    try {
      return await call()
    } catch (error) {
      log(error)
      throw new Problem('rights_unknown', 'The program could not check your rights. Its log says why.')
    }
  }
  return withinSeconds(limits.askSeconds, answer(), (seconds) => {
    log(`It has not responded within ${seconds} seconds.`)
    return new Problem('rights_too_slow', `The function ${name} of this program did not respond.`)
  })
}
