import type { FailureGroup, StoredEvent } from 'webhook-inbox'
import type { PlannedCauses } from '../wire.js'

/** How many causes a preview names. */
const mostNamed = 10

const notKept = 'A cause that is not kept any more'

/** How many of these events each cause has, the most first. `titlesOf` is called with those that are shown. */
export async function plannedCauses(
  events: readonly StoredEvent[],
  groups: readonly FailureGroup[],
  titlesOf: (groups: readonly FailureGroup[]) => Promise<readonly string[]>,
): Promise<Pick<PlannedCauses, 'rows' | 'rest'>> {
  const counts = new Map<string, number>()
  for (const { group } of events) {
    group !== undefined && counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostNamed)
  const shown = groups.filter(({ group }) => most.some(([id]) => id === group))
  const titles = await titlesOf(shown)
  const titleOf = new Map(shown.map(({ group }, at) => [group, titles[at]]))
  const rows = most.map(([group, count]) => ({ group, title: titleOf.get(group) ?? notKept, count }))
  const named = rows.reduce((sum, { count }) => sum + count, 0)
  return { rows, rest: events.length - named }
}
