import type { AppliedEvent, BulkRun, Receiver, Run } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { CanaryWait } from '../wire.js'
import { explanationOf } from './explanation.js'
import { hiddenValues, withoutHidden } from './hidden-values.js'

/** How many events are explained. Those of one canary mostly wait for one reason. */
const most = 3
/** How many events of a canary are read. */
const mostRead = 50

/**
 * Which events a run waits for, and why these do not run. Without `isNamed` it names no person. `undefined` for a run that waits for
 * no canary.
 */
export async function canaryWaits(
  receiver: Receiver,
  { mask }: Resolved,
  handle: BulkRun,
  { state, canary }: Run,
  isNamed: boolean,
): Promise<CanaryWait | undefined> {
  if (state !== 'canary') {
    return undefined
  }
  const applied = await handle.applied({ limit: Math.min(canary, mostRead) })
  const open: AppliedEvent[] = []
  for (const event of applied) {
    // The run waits for what another operator has made of it.
    const { state } = (event.isChangedSince && (await receiver.inspect(event.eventId))) || event
    if (state === 'accepted' || state === 'failed') {
      open.push(event)
    }
  }
  const events: CanaryWait['events'][number][] = []
  for (const { eventId } of open.slice(0, most)) {
    const event = await receiver.inspect(eventId)
    const explanation = event && (await explanationOf(receiver, eventId, isNamed))
    if (explanation) {
      events.push({ eventId, ...withoutHidden(explanation, hiddenValues(event.body, mask)) })
    }
  }
  return open.length > 0 ? { count: open.length, events } : undefined
}
