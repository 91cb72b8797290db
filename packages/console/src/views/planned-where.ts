import type { Receiver, Run } from 'webhook-inbox'
import type { RunView } from '../wire.js'
import { type MaskAt, masked } from './mask.js'

/** The conditions of the plan of a run, as texts. A resource may be a masked value, so a mask hides it. */
export async function plannedWhere(
  receiver: Receiver,
  { plan }: Run,
  mask: MaskAt | undefined,
): Promise<Pick<RunView, 'where'>> {
  const found = await receiver.findPlan(plan)
  if (!found) {
    return {}
  }
  const given = Object.entries(found.where).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, textOf(name, value, mask)]],
  )
  return { where: Object.fromEntries(given) }
}

function textOf(name: string, value: unknown, mask: MaskAt | undefined): string {
  if (name === 'resource' && mask) {
    return masked
  }
  return value instanceof Date ? value.toISOString() : String(value)
}
