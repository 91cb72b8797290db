import type { FailureGroup, StoredEvent } from 'webhook-inbox'
import type { PlannedCauses } from '../wire.js'

/** How many causes a preview names. */
const mostNamed = 10

const notKept = 'A cause that is not kept any more'

/** How many of these events each cause has, the most first. `titleOf` is called for those that are shown. */
export async function plannedCauses(
  events: readonly StoredEvent[],
  groups: readonly FailureGroup[],
  titleOf: (group: FailureGroup) => Promise<string>,
): Promise<Pick<PlannedCauses, 'rows' | 'rest'>> {
  const counts = new Map<string, number>()
  for (const { group } of events) {
    group !== undefined && counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const known = new Map(groups.map((each) => [each.group, each]))
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostNamed)
  const rows: PlannedCauses['rows'][number][] = []
  for (const [group, count] of most) {
    const found = known.get(group)
    rows.push({ group, title: found ? await titleOf(found) : notKept, count })
  }
  const named = rows.reduce((sum, { count }) => sum + count, 0)
  return { rows, rest: events.length - named }
}
