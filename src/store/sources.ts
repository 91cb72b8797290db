import { type CappedCount, capped } from './capped-count.js'

/** An endpoint or an event type, and whether its events have stopped. */
export interface Source {
  /** Absent for the endpoint, which is the sum of its types. */
  readonly type?: string
  /** RFC 3339, by the database’s clock. The release of a quarantined delivery is no arrival. */
  readonly lastReceivedAt: string
  /** The number of events, done or dead, in the 24 hours before the last event. It gives the mean rate. */
  readonly inLastDay: CappedCount
  /** Whether no event has arrived for at least an hour, and at the mean rate more than twenty should have. */
  readonly isSilent: boolean
}

export interface Sources {
  /** The endpoint first, then its types by name. Empty if nothing has come for a week. */
  readonly sources: readonly Source[]
  /** Whether there are more types than {@link mostTypes}. */
  readonly isCapped: boolean
}

const day = 86_400_000
/** A source is silent if more events than this are missing. */
const mostMissing = 20

/** The maximum number of types. A sender can send any number. */
export const mostTypes = 500
/** A type without an event for this time is no longer a source, in seconds. */
export const rememberedSeconds = 7 * 86_400
/** The count of a day stops here. A source with more events is silent after the minimum of an hour. */
export const mostInDay = mostMissing * 24
/** How many waiting events of a type are read. If there are more, its last event is not known. */
export const mostWaiting = 50

/** What a store has read of a type. Times in milliseconds since 1970. */
export interface SourceFacts {
  readonly type: string
  readonly lastAt: number
  /** Events of the day before `lastAt`, done or dead, up to one more than {@link mostInDay}. */
  readonly seen: number
  /** The same for the day before the last event of the endpoint. */
  readonly seenWithEndpoint: number
  /** True if more events wait than were read. One of them may be later than `lastAt`. */
  readonly hasUnread: boolean
}

/**
 * Judges what a store has read. `facts` are sorted by type; `isCapped` if there are more types. A source with
 * unread events is never called silent.
 */
export function judgeSources(
  facts: readonly SourceFacts[],
  { now, isCapped }: { readonly now: number; readonly isCapped: boolean },
): Sources {
  if (facts.length === 0) {
    return { sources: [], isCapped }
  }
  const sum = facts.reduce((total, { seenWithEndpoint }) => total + seenWithEndpoint, 0)
  const endpoint = {
    lastAt: Math.max(...facts.map(({ lastAt }) => lastAt)),
    seen: Math.min(sum, mostInDay + 1),
    hasUnread: isCapped || facts.some(({ hasUnread }) => hasUnread),
  }
  const types = facts.map((each) => ({ type: each.type, ...judge(each, now) }))
  return { sources: [judge(endpoint, now), ...types], isCapped }
}

function judge({ lastAt, seen, hasUnread }: Omit<SourceFacts, 'type' | 'seenWithEndpoint'>, now: number) {
  const silence = now - lastAt
  return {
    lastReceivedAt: new Date(lastAt).toISOString(),
    inLastDay: capped(seen, seen, mostInDay),
    isSilent: !hasUnread && (seen * silence) / day > mostMissing,
  }
}
