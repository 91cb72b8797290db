import type { FailureGroup, Plan, Receiver, Run } from 'webhook-inbox'
import { UsageError } from '../exit.js'
import { printable } from '../printable.js'

const page = 100

/** More than one endpoint has. A group that fails again moves to the front of the list, so that a further page could miss it. */
const groupPage = 1000

interface GroupScope {
  readonly allEndpoints?: boolean | undefined
}

/**
 * The id of a group, from its id, from the part after its endpoint, or from the beginning of either. Throws `UsageError` if no
 * group or several groups match, because a typing error would look like an empty result.
 */
export async function resolveGroup(
  receiver: Receiver,
  given: string,
  scope: GroupScope = {},
): Promise<string> {
  const groups = await groupsOf(receiver, scope)
  const ids = groups.map(({ group }) => group)
  if (ids.includes(given)) {
    return given
  }
  const begins = (id: string) => id.startsWith(given) || cause(id).startsWith(given)
  return theOnly(given === '' ? [] : ids.filter(begins), given, 'group', 'inbox failures lists the groups')
}

/** The group under an id; `undefined` if none is kept. */
export async function findGroup(receiver: Receiver, id: string): Promise<FailureGroup | undefined> {
  return (await groupsOf(receiver, {})).find(({ group }) => group === id)
}

/** A plan, by its id or by the beginning of it. Throws `UsageError` if none or several are meant. */
export async function resolvePlan(receiver: Receiver, given: string): Promise<Plan> {
  const exact = given === '' ? undefined : await receiver.findPlan(given)
  if (exact) {
    return exact
  }
  const found = given === '' ? [] : await receiver.plans({ startsWith: withKind('plan-', given), limit: 5 })
  const fix = 'inbox plans lists the plans, and inbox plan makes one'
  const id = theOnly(
    found.map((plan) => plan.id),
    given,
    'plan',
    fix,
  )
  return found.find((plan) => plan.id === id) as Plan
}

/** The id of a run, by its id or by the beginning of it. Throws `UsageError` if none or several are meant. */
export async function resolveRun(receiver: Receiver, given: string): Promise<string> {
  return theOnly(await runsLike(receiver, given), given, 'run', 'inbox runs lists the runs')
}

/** As `resolveRun`, but returns an id without a kept run unchanged: the audits outlive a run. */
export async function resolveAnyRun(receiver: Receiver, given: string): Promise<string> {
  const ids = await runsLike(receiver, given)
  return ids.length === 0 ? given : theOnly(ids, given, 'run', '')
}

async function runsLike(receiver: Receiver, given: string): Promise<string[]> {
  if (given === '') {
    return []
  }
  if (await receiver.findRun(given)) {
    return [given]
  }
  const matching: string[] = []
  let last: readonly Run[] = []
  do {
    const after = last.at(-1)?.id
    last = await receiver.runs({ limit: page, ...(after !== undefined && { after }) })
    const begins = ({ id }: Run) => id.startsWith(withKind('run-', given))
    matching.push(...last.filter(begins).map(({ id }) => id))
  } while (last.length === page)
  return matching
}

/** Each id as short as possible but still unique, with at least `shown` characters. */
export function shortIds(ids: readonly string[], shown: number): (id: string) => string {
  let length = shown
  const longest = Math.max(0, ...ids.map((id) => id.length))
  while (length < longest && new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) {
    length++
  }
  return (id) => id.slice(0, length)
}

/** The part of a group’s id after its endpoint. */
export const cause = (group: string): string => group.slice(group.lastIndexOf(':') + 1)

const withKind = (kind: string, given: string) => (given.startsWith(kind) ? given : `${kind}${given}`)

function theOnly(ids: readonly string[], given: string, kind: string, fix: string): string {
  const [id, ...others] = ids
  if (id === undefined) {
    throw new UsageError(`no ${kind} ${printable(given)} is kept; ${fix}`)
  }
  if (others.length > 0) {
    const them = ids.slice(0, 5).map(printable).join(', ')
    throw new UsageError(`${printable(given)} may be any of several ${kind}s: ${them}; give more of the id`)
  }
  return id
}

async function groupsOf(receiver: Receiver, { allEndpoints }: GroupScope): Promise<FailureGroup[]> {
  const all = new Map<string, FailureGroup>()
  let last: readonly FailureGroup[] = []
  do {
    last = await receiver.failures({ allEndpoints, empty: true, after: last.at(-1)?.group, limit: groupPage })
    for (const each of last) {
      all.set(each.group, each)
    }
  } while (last.length === groupPage)
  return [...all.values()]
}
