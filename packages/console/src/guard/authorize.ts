import { isBlank } from '../is-blank.js'
import type { Resolved } from '../options.js'
import { Problem } from '../problem.js'
import type { ConsoleAction } from '../wire.js'
import { lateAnswer, withinSeconds } from '../within-seconds.js'

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

/** Whether a person may do something. Only `true` permits it. An error or a timeout denies it and is logged. */
export async function may(options: Resolved, caller: unknown, action: ConsoleAction): Promise<boolean> {
  if (options.readOnly && !readActions.includes(action)) {
    return false
  }
  try {
    return (await ask(options, 'authorize', () => options.authorize(caller, action))) === true
  } catch (error) {
    options.logger.error(`webhook-inbox-console: authorize failed for ${action}`, error)
    return false
  }
}

/** Throws a `Problem` unless the person may do this. */
export async function requireRight(options: Resolved, caller: unknown, action: ConsoleAction): Promise<void> {
  if (options.readOnly && !readActions.includes(action)) {
    throw new Problem('read_only', 'This console was mounted with readOnly: true.')
  }
  if (!(await may(options, caller, action))) {
    throw new Problem('forbidden', `This needs the right ${action}.`)
  }
}

/** Throws a `Problem` unless the person may do at least one of these. */
export async function requireAnyOf(
  options: Resolved,
  caller: unknown,
  actions: readonly ConsoleAction[],
): Promise<void> {
  if (options.readOnly && !actions.some((action) => readActions.includes(action))) {
    throw new Problem('read_only', 'This console was mounted with readOnly: true.')
  }
  const permitted = await Promise.all(actions.map((action) => may(options, caller, action)))
  if (!permitted.includes(true)) {
    throw new Problem('forbidden', `This needs one of the rights ${actions.join(', ')}.`)
  }
}

/** Everything that a person may do. */
export async function rightsOf(options: Resolved, caller: unknown): Promise<ConsoleAction[]> {
  const actions = [...readActions, ...actActions]
  const permitted = await Promise.all(actions.map((action) => may(options, caller, action)))
  return actions.filter((_, index) => permitted[index])
}

/** The name for the audit. Throws a `Problem` if there is none, because every change needs an actor. */
export async function actorOf(options: Resolved, caller: unknown): Promise<string> {
  let actor: unknown
  try {
    actor = await ask(options, 'actor', () => options.actor?.(caller))
  } catch (error) {
    options.logger.error('webhook-inbox-console: actor failed', error)
  }
  if (typeof actor === 'string' && !isBlank(actor)) {
    return actor
  }
  throw new Problem('forbidden', 'The program does not say who you are, so nothing can be changed.')
}

/** Calls a function of the program. Rejects if it fails, or takes too long. */
const ask = async ({ limits }: Resolved, name: string, call: () => unknown): Promise<unknown> =>
  withinSeconds(limits.askSeconds, (async () => call())(), lateAnswer(name))
