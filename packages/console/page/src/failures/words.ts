import type { GlyphName } from 'webhook-inbox-ui'
import type { GroupRow } from '../../../src/wire.js'
import { digits } from '../digits.js'

type GroupState = GroupRow['state']

export const groupStates: readonly GroupState[] = ['open', 'acknowledged', 'resolved']

export const groupWords: Readonly<Record<GroupState, readonly [glyph: GlyphName, word: string]>> = {
  open: ['failed', 'Open'],
  acknowledged: ['acknowledged', 'Acknowledged'],
  resolved: ['good', 'Resolved'],
}

/** The worst that the group holds. */
export const worstOf = ({ dead, failed, quarantined }: GroupRow): GlyphName =>
  dead > 0 ? 'dead' : failed > 0 ? 'failed' : quarantined > 0 ? 'quarantined' : 'good'

/** How many of each state it holds, the worst first. */
export function holds({ dead, failed, quarantined }: GroupRow): string {
  const parts = [
    dead > 0 && `${digits(dead)} dead`,
    failed > 0 && `${digits(failed)} failed`,
    quarantined > 0 && `${digits(quarantined)} quarantined`,
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(', ') : 'holds nothing any more'
}

/** The types, and where in the program it failed. A place begins with its type. */
export function whereOf({ types, place, quarantined, count }: GroupRow): string {
  const only = types.length === 1 ? types[0] : undefined
  if (place !== undefined && only !== undefined && place.startsWith(only)) {
    return place
  }
  if (types.length === 0) {
    return quarantined === count ? 'deliveries, not events' : ''
  }
  return [typesOf(types), place].filter(Boolean).join(', ')
}

/** `transfer.settled`, or `transfer.settled and 3 more types`. */
const typesOf = ([first, ...others]: readonly string[]): string =>
  others.length === 0
    ? (first ?? '')
    : `${first} and ${others.length} more ${others.length === 1 ? 'type' : 'types'}`
