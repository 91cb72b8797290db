import {
  judgeSources,
  mostInDay,
  mostTypes,
  mostWaiting,
  rememberedSeconds,
  type SourceFacts,
} from '../../../store/sources.js'
import type { StatisticsStore } from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { asBytes, text } from '../events/event-row.js'

const events = 'webhook_inbox_events'

// With the name of the table, because `type` alone is the selected column with a cast, and no index has that order.
const nextOf = (states: string) => `
  SELECT * FROM (SELECT ${asBytes('type')} FROM ${events} WHERE endpoint = ? AND type > ? AND ${states}
    ORDER BY ${events}.type LIMIT 1)`

// One index holds the types of events that have ended, another those of the others.
const nextType = `
  SELECT type FROM (${nextOf("(state = 'done' OR state = 'dead')")}
    UNION ALL ${nextOf("state IN ('accepted', 'failed')")}) ORDER BY type LIMIT 1`

const ofType = (state: string) => `${events} WHERE endpoint = ? AND type = ? AND state = '${state}'`

// An edited copy has a parent. No sender has sent it. A released event arrived before it was received, so it is the last one only
// if its delivery came after this one.
const lastEnded = (state: string) => `
  SELECT received_at AS last FROM ${ofType(state)} AND parent IS NULL AND delivered_at IS NULL
  ORDER BY received_at DESC LIMIT 1`

const lastReleased = (state: string) => `
  SELECT max(delivered_at) AS last FROM ${ofType(state)} AND received_at > ?`

const waiting = `
  SELECT count(*) AS seen, max(CASE WHEN parent IS NULL THEN coalesce(delivered_at, received_at) END) AS last FROM (
    SELECT received_at, delivered_at, parent FROM ${events} WHERE endpoint = ? AND type = ? AND state IN ('accepted', 'failed')
    LIMIT ${mostWaiting + 1})`

const inDay = (state: string) => `
  SELECT count(*) AS seen FROM (
    SELECT 1 FROM ${ofType(state)} AND received_at > ? AND received_at <= ? LIMIT ${mostInDay + 1})`

const ended = ['done', 'dead']
const day = 86_400_000

/** When each type last arrived. Deliveries go on between two types. */
export function sqliteSources<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): StatisticsStore['sources'] {
  return async (endpoint) => {
    const now = Date.now()
    const types: string[] = []
    const dated: { type: string; lastAt: number; hasUnread: boolean }[] = []
    const read = <Value>(work: () => Value) => connection.readInTurn('look at the sources', work)

    for (let type = await read(() => typeAfter('')); type !== undefined; ) {
      types.push(type)
      if (types.length > mostTypes) {
        break
      }
      const current = type
      dated.push({ type, ...(await read(() => lastOf(current))) })
      type = await read(() => typeAfter(current))
    }

    const newest = Math.max(...dated.map(({ lastAt }) => lastAt))
    const facts: SourceFacts[] = []
    for (const each of dated.filter(({ lastAt }) => lastAt > now - rememberedSeconds * 1000)) {
      const [seen, seenWithEndpoint] = await read(
        () => [seenUntil(each.type, each.lastAt), seenUntil(each.type, newest)] as const,
      )
      facts.push({ ...each, seen, seenWithEndpoint })
    }
    return judgeSources(facts, { now, isCapped: types.length > mostTypes })

    function typeAfter(type: string): string | undefined {
      const [row] = connection.all<{ type: Uint8Array }>(nextType, endpoint, type, endpoint, type)
      return row && text(row.type)
    }

    function lastOf(type: string) {
      const [wait] = connection.all<{ seen: number; last: number | null }>(waiting, endpoint, type)
      const lasts = ended.map((state) => {
        const newest = (sql: string, ...values: number[]) =>
          Number(connection.all<{ last: number | null }>(sql, endpoint, type, ...values)[0]?.last ?? 0)
        const last = newest(lastEnded(state))
        return Math.max(last, newest(lastReleased(state), last))
      })
      return {
        lastAt: Math.max(...lasts, Number(wait?.last ?? 0)),
        hasUnread: Number(wait?.seen) > mostWaiting,
      }
    }

    function seenUntil(type: string, until: number): number {
      const counts = ended.map((state) => {
        const [row] = connection.all<{ seen: number }>(inDay(state), endpoint, type, until - day, until)
        return Number(row?.seen)
      })
      return Math.min(
        counts.reduce((sum, count) => sum + count, 0),
        mostInDay + 1,
      )
    }
  }
}
