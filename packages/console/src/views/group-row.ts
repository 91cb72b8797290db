import { type FailureGroup, isDeliveryKey } from 'webhook-inbox'
import type { GroupRow } from '../wire.js'
import { factOf } from './advice.js'
import { errorClass } from './error-class.js'
import { isCut } from './example-errors.js'
import { type Hidden, withoutHidden, withWords } from './hidden-values.js'

/**
 * A group of failures. `hidden` is the masked values of an event in it, because the title comes from an error. A title that is a
 * code contains no value.
 */
export function groupRow(group: FailureGroup, hidden: Hidden): GroupRow {
  const isExampleDelivery = isDeliveryKey(group.example, group.endpoint)
  const isCode = group.title === group.code
  const fact = isCode ? factOf(group.title, isExampleDelivery) : undefined
  return {
    group: group.group,
    state: group.state,
    changes: group.changes,
    title: fact ?? (isCode ? group.title : titleOf(group, withWords(hidden))),
    ...(group.code !== undefined && { code: group.code }),
    ...(group.place !== undefined && { place: group.place }),
    count: group.count,
    isCapped: group.isCapped,
    dead: group.dead,
    failed: group.failed,
    quarantined: group.quarantined,
    types: group.types,
    firstSeenAt: group.firstSeenAt,
    lastSeenAt: group.lastSeenAt,
    example: group.example,
    isExampleDelivery,
  }
}

function titleOf({ title }: FailureGroup, hidden: Hidden): string {
  const shown = hidden === 'all' ? errorClass(title) : withoutHidden(title, hidden)
  return isCut(title) && !shown.endsWith('…') ? `${shown}…` : shown
}
