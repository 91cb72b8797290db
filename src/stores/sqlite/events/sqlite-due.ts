import { firstLane, joined, mostLanes, type Turns } from '../../../store/due-bounds.js'
import type { DueFilter } from '../../../store/inbox.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { DueSearch } from './due-search.js'
import { type EventRow, text } from './event-row.js'

/**
 * The events that can run now, oldest first. If nothing is held back, one index gives them in order. Otherwise it searches
 * each type separately, so it never reads events of a type that is held back.
 */
export function findDue<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  limit: number,
  endpoint: string | undefined,
  filter: DueFilter,
  turns: Turns,
): EventRow[] {
  const search = new DueSearch(connection, limit, endpoint, filter)
  if (!search.isNarrowed && !search.isAnythingHeld()) {
    return search.all()
  }
  const { onlyTypes } = filter
  if (onlyTypes !== undefined && endpoint !== undefined) {
    return search.ofLanes(onlyTypes.map((type) => ({ endpoint, type })))
  }
  const first = search.lanesAfter(firstLane)
  if (first.length < mostLanes) {
    return search.ofLanes(first)
  }
  const { rows, isMore } = search.amongOldest()
  if (!isMore || rows.length >= limit) {
    return rows
  }
  const others = search.lanesAfter(turns.of(endpoint))
  turns.continueAfter(endpoint, others.length < mostLanes ? undefined : others.at(-1))
  return joined(rows, search.ofLanes(others), ({ key }) => text(key), limit)
}
