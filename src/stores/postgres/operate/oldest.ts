import { mostCounted } from '../../../store/statistics-store.js'

/**
 * SQL for the time since when the event that has waited longest waits: from its arrival, or from its last replay. A replayed
 * event may have arrived long ago, but nobody expected it to run before its replay. It reads the first 10,000 events of each
 * state. `isMine` is a condition on `endpoint`.
 */
export function waitingSince(schema: string, isMine: string): string {
  const among = (state: string) => `
  (SELECT min(coalesce((SELECT max(at) FROM ${schema}.replays AS r WHERE r.key = e.key AND e.generation > 0), received_at))
   FROM (SELECT key, generation, received_at, endpoint FROM ${schema}.events WHERE state = '${state}'
     ORDER BY received_at LIMIT ${mostCounted}) AS e WHERE ${isMine})`
  return `least(${among('accepted')}, ${among('failed')})`
}
