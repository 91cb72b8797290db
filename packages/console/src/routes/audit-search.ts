import { setImmediate } from 'node:timers/promises'
import type { AuditEntry, Receiver } from 'webhook-inbox'
import { timeOf } from './filter.js'
import { type Call, cursorOf } from './route.js'

/** A search stops after this many entries. */
const mostRead = 5000
/** How many entries one query of the store reads. */
const batch = 500
/** Entries are listed as they were written. Their times may differ from this order by the length of a transaction. */
const slackMilliseconds = 60_000

interface Lines {
  readonly length: number
  needsLine(entry: AuditEntry): boolean
  add(entry: AuditEntry): void
}

/** How far a search got. */
export interface Searched {
  /** How many entries were read. */
  readonly searched: number
  /** Where to continue. Absent if every entry has been read. */
  readonly next?: string
}

/**
 * Puts the entries that match the address into `lines`, newest first, until there are `limit` lines. The store finds the event,
 * the run and the place in time. Who and what are compared here, so the search reads a limited number of entries.
 */
export async function searchAudits(call: Call, limit: number, lines: Lines): Promise<Searched> {
  const { receiver, query } = call
  const [since, until] = [millisecondsOf(query, 'since'), millisecondsOf(query, 'until')]
  const matches = matcherOf(query)
  const eventId = query.get('event') || undefined
  const run = query.get('run') || undefined
  let after = cursorOf(query) ?? (until === undefined ? undefined : await placeAfter(receiver, until))
  let searched = 0
  for (;;) {
    const found = await receiver.audits({ eventId, run, limit: batch, after })
    for (const entry of found) {
      const at = Date.parse(entry.at)
      if (since !== undefined && at < since - slackMilliseconds) {
        return { searched }
      }
      if ((since === undefined || at >= since) && (until === undefined || at <= until) && matches(entry)) {
        if (lines.length >= limit && lines.needsLine(entry)) {
          return { searched, ...(after !== undefined && { next: after }) }
        }
        lines.add(entry)
      }
      after = entry.id
      searched += 1
      if (searched >= mostRead) {
        return { searched, next: after }
      }
    }
    if (found.length < batch) {
      return { searched }
    }
    // The process also serves deliveries.
    await setImmediate()
  }
}

const millisecondsOf = (query: URLSearchParams, name: string): number | undefined => {
  const value = query.get(name)
  return value ? timeOf(name, value).getTime() : undefined
}

/** Who: any part of the name, in any case. What: the whole action. */
function matcherOf(query: URLSearchParams): (entry: AuditEntry) => boolean {
  const actor = query.get('actor')?.toLowerCase()
  const action = query.get('action')
  return (entry) =>
    (!actor || entry.actor.toLowerCase().includes(actor)) && (!action || entry.action === action)
}

/**
 * A place that is newer than every entry until this time. Each step asks the index for one entry. `undefined` means the start,
 * also for a store whose places are no numbers.
 */
async function placeAfter(receiver: Receiver, until: number): Promise<string | undefined> {
  const newestBefore = async (place?: number) => {
    const after = place === undefined ? {} : { after: String(place) }
    const [entry] = await receiver.audits({ limit: 1, ...after })
    return entry && { place: Number(entry.id), isLater: Date.parse(entry.at) > until + slackMilliseconds }
  }
  const newest = await newestBefore()
  if (!newest?.isLater || !Number.isSafeInteger(newest.place)) {
    return undefined
  }
  let [low, high] = [0, newest.place + 1]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const entry = await newestBefore(middle)
    if (entry?.isLater) {
      high = Math.min(middle, entry.place + 1)
    } else {
      low = middle
    }
  }
  return String(high)
}
