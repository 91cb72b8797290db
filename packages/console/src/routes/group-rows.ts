import { setImmediate } from 'node:timers/promises'
import type { FailureGroup, StoredEvent } from 'webhook-inbox'
import { tellingParts, unclearTitles } from '../views/example-errors.js'
import { groupRow } from '../views/group-row.js'
import { type Hidden, hiddenValues, withoutHidden } from '../views/hidden-values.js'
import type { GroupRow } from '../wire.js'
import type { Call } from './route.js'

/** Rows of a list. Where titles do not tell causes apart, they have a part of an error. */
export async function groupRows(call: Call, groups: readonly FailureGroup[]): Promise<GroupRow[]> {
  const rows: GroupRow[] = []
  for (const group of groups) {
    rows.push(groupRow(group, await hiddenOf(call, group)))
    // A mask takes time for each row, and the process also serves deliveries.
    await setImmediate()
  }
  const unclear = unclearTitles(rows.map(({ title }) => title))
  for (const title of new Set(unclear.map((at) => rows[at]?.title))) {
    const places = unclear.filter((at) => rows[at]?.title === title)
    const errors: string[] = []
    for (const at of places) {
      errors.push((await errorOf(call, groups[at] as FailureGroup)) ?? '')
    }
    for (const [which, error] of tellingParts(errors).entries()) {
      const at = places[which] as number
      rows[at] = { ...(rows[at] as GroupRow), ...(error && { error }) }
    }
  }
  return rows
}

/** The last error of an event in the group, without what the mask hides. `undefined` if no event is in it. */
export async function errorOf(
  call: Call,
  group: FailureGroup,
  example?: StoredEvent,
): Promise<string | undefined> {
  const member = await memberOf(call, group, example)
  const hidden = member ? hiddenValues(member.body, call.options.mask) : 'all'
  return hidden === 'all' ? undefined : withoutHidden(member?.lastError, hidden)
}

/** An event that is in the group now. The example may have left it. */
async function memberOf(
  { receiver }: Call,
  { group, example: id }: FailureGroup,
  example?: StoredEvent,
): Promise<StoredEvent | undefined> {
  const found = example ?? (await receiver.inspect(id))
  const [member] = found?.group === group ? [found] : await receiver.list({ group, limit: 1 })
  return member
}

/**
 * What a mask hides in the title of a group. The title comes from an error, so it repeats values of each event that is in the group
 * now. The example may have left it since, and may have other content. `all` if no event is in it.
 */
export async function hiddenOf(call: Call, group: FailureGroup, example?: StoredEvent): Promise<Hidden> {
  const { mask } = call.options
  if (!mask) {
    return []
  }
  const member = await memberOf(call, group, example)
  return member ? hiddenValues(member.body, mask) : 'all'
}
