import type { FailureGroup } from 'webhook-inbox'
import type { GroupRow } from '../wire.js'
import { type Hidden, withoutHidden, withWords } from './hidden-values.js'

/**
 * A group of failures. `hidden` is the masked values of its example, because the title comes from an error. A title that is a
 * code contains no value.
 */
export const groupRow = (group: FailureGroup, hidden: Hidden): GroupRow => ({
  group: group.group,
  state: group.state,
  title: group.title === group.code ? group.title : withoutHidden(group.title, withWords(hidden)),
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
  isExampleDelivery: isDelivery(group),
})

/** The key of a quarantined delivery is its endpoint, a slash, and the SHA-256 of its bytes. */
const isDelivery = ({ endpoint, example }: FailureGroup) =>
  example.startsWith(`${endpoint}/`) && /^[0-9a-f]{64}$/.test(example.slice(endpoint.length + 1))
