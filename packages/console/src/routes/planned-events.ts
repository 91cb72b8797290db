import type { FailureGroup, StoredEvent } from 'webhook-inbox'
import { statesOf } from '../bulk-actions.js'
import { ifSupported } from '../if-supported.js'
import { eventRow } from '../views/event-row.js'
import { oldestOf } from '../views/oldest-of.js'
import { plannedCauses } from '../views/planned-causes.js'
import { withNotes } from '../views/row-notes.js'
import { spreadSample } from '../views/spread-sample.js'
import type { BulkAction, EventRow, PlannedCauses, PlanView } from '../wire.js'
import type { Filter } from './filter.js'
import { groupRows } from './group-rows.js'
import { mostGroups } from './groups.js'
import type { Call } from './route.js'

const mostSamples = 5
/** A sample is chosen among so many of the oldest and of the newest events of each state. */
const mostRead = 200
/** So many of the oldest failed or dead events are counted by their cause. */
const mostCounted = 5000

/** Some of the events that meet the conditions, and how many of them each cause has. */
export async function plannedEvents(
  call: Call,
  action: BulkAction,
  where: Filter,
): Promise<Pick<PlanView, 'sample' | 'causes'>> {
  const found = new Map<string, StoredEvent>()
  let causes: PlannedCauses | undefined
  for (const state of statesOf(action, where.state)) {
    const about = { ...where, state }
    const hasCauses = where.group === undefined && (state === 'failed' || state === 'dead')
    const oldest = await oldestOf(call.receiver, about, hasCauses ? mostCounted + 1 : mostRead)
    if (hasCauses) {
      causes = await causesOf(call, oldest)
    }
    const newest =
      oldest.length < mostRead
        ? []
        : await call.receiver.list({ ...about, limit: mostRead, order: 'newest', bodies: false })
    for (const event of [...oldest.slice(0, mostRead), ...newest.toReversed()]) {
      found.set(event.key, event)
    }
  }
  return { sample: await sampleOf(call, [...found.values()]), ...(causes && { causes }) }
}

/** `undefined` if none of the events has a cause. */
async function causesOf(call: Call, oldest: readonly StoredEvent[]): Promise<PlannedCauses | undefined> {
  const events = oldest.slice(0, mostCounted)
  if (!events.some(({ group }) => group !== undefined)) {
    return undefined
  }
  const groups = (await ifSupported(() => call.receiver.failures({ empty: true, limit: mostGroups }))) ?? []
  const titlesOf = async (shown: readonly FailureGroup[]) =>
    (await groupRows(call, shown)).map(({ title, error }) => (error ? `${title} (${error})` : title))
  return {
    counted: events.length,
    isCapped: oldest.length > events.length,
    ...(await plannedCauses(events, groups, titlesOf)),
  }
}

/** A few of the events, of each cause. */
async function sampleOf(
  { receiver, options, mayMissReports }: Call,
  events: readonly StoredEvent[],
): Promise<EventRow[]> {
  const rows: EventRow[] = []
  for (const event of spreadSample(events, ({ group = '' }) => group, mostSamples)) {
    // The mask looks into the body.
    const whole = options.mask ? await receiver.inspect(event.id) : event
    whole && rows.push(eventRow(whole, options))
  }
  return withNotes(receiver, rows, mayMissReports)
}
