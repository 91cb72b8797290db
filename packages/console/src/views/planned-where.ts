import type { Receiver, Run } from 'webhook-inbox'
import type { RunView } from '../wire.js'
import { type MaskAt, masked } from './mask.js'

/** The conditions of the plan of a run, as texts. A resource may be a masked value, so a mask hides it. */
export async function plannedWhere(
  receiver: Receiver,
  { id, plan }: Run,
  mask: MaskAt | undefined,
): Promise<Pick<RunView, 'where'>> {
  const found = await receiver.findPlan(plan)
  if (!found) {
    return {}
  }
  const given = Object.entries(found.where).flatMap(([name, value]) =>
    value === undefined || name === 'key' ? [] : [[name, textOf(name, value, mask)]],
  )
  if (found.where.key !== undefined) {
    given.push(['event', (await eventOf(receiver, id)) ?? 'not kept'])
  }
  return { where: Object.fromEntries(given) }
}

function textOf(name: string, value: unknown, mask: MaskAt | undefined): string {
  if (name === 'resource' && mask) {
    return masked
  }
  return value instanceof Date ? value.toISOString() : String(value)
}

/** The id of the one event of a run. Its plan has only the key of the store. */
async function eventOf(receiver: Receiver, run: string): Promise<string | undefined> {
  const handle = await receiver.findRun(run)
  const [applied] = (await handle?.applied({ limit: 1 })) ?? []
  const [left] = applied ? [] : ((await handle?.leftAlone({ limit: 1 })) ?? [])
  return applied?.eventId ?? left?.eventId
}
