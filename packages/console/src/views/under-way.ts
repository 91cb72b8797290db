import type { Plan, Receiver, Run } from 'webhook-inbox'
import { statesOf } from '../bulk-actions.js'
import type { BulkAction, RunView } from '../wire.js'
import { runView, withoutWho } from './run-view.js'

/** How many of the newest operations are read. */
const mostRead = 500
/** How many a preview names. */
const mostNamed = 5

type Where = Plan['where']

/**
 * The other operations that have not ended, or can be continued, and that may change an event of this plan. Newest first.
 * Without `isNamed` they name no person. `own` is the id of the run whose plan it is.
 */
export async function underWay(
  receiver: Receiver,
  { action, where }: Pick<Plan, 'action' | 'where'>,
  isNamed: boolean,
  own?: string,
): Promise<readonly RunView[]> {
  const found: RunView[] = []
  for (const run of await receiver.runs({ limit: mostRead })) {
    if (
      run.id !== own &&
      isOpen(run) &&
      found.length < mostNamed &&
      (await meets(receiver, run, action, where))
    ) {
      found.push(isNamed ? runView(run) : withoutWho(runView(run)))
    }
  }
  return found
}

/** Whether it may still change events: it has not ended, or a person can continue what its canary stopped. */
const isOpen = ({ endedAt, state, remaining }: Run): boolean =>
  endedAt === undefined || (state === 'stopped' && remaining > 0)

/** If an event meets the conditions of both, in a state that both take. It is older than the other operation. */
async function meets(receiver: Receiver, run: Run, action: BulkAction, where: Where): Promise<boolean> {
  const plan = await receiver.findPlan(run.plan)
  const both = plan && meetingBoth(where, plan.where)
  if (!both) {
    return false
  }
  const taken = statesOf(run.action, plan.where.state)
  for (const state of statesOf(action, where.state).filter((each) => taken.includes(each))) {
    const until = earliest(both.until, new Date(run.createdAt))
    const [first] = await receiver.list({ ...both, until, state, limit: 1, bodies: false })
    if (first) {
      return true
    }
  }
  return false
}

/**
 * The conditions that the events of both meet; `undefined` if no event can. It leaves out the resource of the other operation:
 * a person who may not see it could guess it from the warning.
 */
function meetingBoth(where: Where, other: Where): Where | undefined {
  const { resource, group = other.group } = where
  const type = narrower(where.type, other.type)
  const areApart =
    (other.group !== undefined && other.group !== group) ||
    (resource !== undefined && other.resource !== undefined && other.resource !== resource) ||
    type === null
  if (areApart) {
    return undefined
  }
  const since = latest(where.since, other.since)
  const until = earliest(where.until, other.until)
  return {
    ...(type !== undefined && { type }),
    ...(group !== undefined && { group }),
    ...(resource !== undefined && { resource }),
    ...(since && { since }),
    ...(until && { until }),
  }
}

/** The type that both conditions allow; `undefined` if both allow each type, null if no type meets both. */
function narrower(type: string | undefined, other: string | undefined): string | undefined | null {
  if (type === undefined || other === undefined) {
    return type ?? other
  }
  if (allows(type, other)) {
    return other
  }
  return allows(other, type) ? type : null
}

/** A type ends with `.*` if it stands for all types that begin with it. */
const allows = (type: string, other: string): boolean =>
  type === other || (type.endsWith('.*') && other.startsWith(type.slice(0, -1)))

const latest = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a && b ? (a > b ? a : b) : (a ?? b)
const earliest = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a && b ? (a < b ? a : b) : (a ?? b)
