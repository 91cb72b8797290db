import { mostCounted } from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase, SqliteValue } from '../connection/sqlite-database.js'

export type CountedState = 'accepted' | 'failed' | 'done' | 'dead'

/** Which events to read: those of one state that were received from `starts` until before `ends`, in milliseconds. */
export interface EventRange {
  readonly state: CountedState
  readonly starts?: number
  readonly ends?: number
  readonly order: 'oldest' | 'newest'
}

// The state is in the text, and not a value. SQLite would compile the statement again for each value, because of the indexes that
// cover only some states.
const between = (state: CountedState) =>
  `webhook_inbox_events WHERE state = '${state}' AND received_at >= ? AND received_at <= ?`

const nth = ({ state, order }: EventRange) => `
  SELECT received_at AS at FROM ${between(state)} ORDER BY received_at ${order === 'newest' ? 'DESC' : ''} LIMIT 1 OFFSET ?`

/** A part of a range, for `FROM`. Its values are those that {@link EventParts.next} gives. */
export const partOf = (state: CountedState, columns: string) =>
  `(SELECT ${columns} FROM ${between(state)} LIMIT ${mostCounted + 1})`

/**
 * Reads a range of events in parts. The drivers are synchronous, so deliveries wait for each statement, and go on between two
 * parts. An event whose state changes meanwhile can be missed, or be read in two states.
 */
export class EventParts<Database extends SqliteDatabase> {
  readonly #connection: Connection<Database>
  readonly #range: EventRange
  #low: number
  #high: number
  #isAtEnd = false

  constructor(connection: Connection<Database>, range: EventRange) {
    this.#connection = connection
    this.#range = range
    this.#low = range.starts ?? Number.MIN_SAFE_INTEGER
    this.#high = (range.ends ?? Number.MAX_SAFE_INTEGER) - 1
  }

  /** Whether no event is left to read. */
  get isAtEnd(): boolean {
    return this.#isAtEnd
  }

  /**
   * Reads the next `most` events in a turn of the event loop of their own, and all others that arrived in the same millisecond
   * as the last of them. `read` is given the values of {@link partOf}.
   */
  next<Value>(most: number, read: (values: readonly SqliteValue[]) => Value): Promise<Value> {
    return this.#connection.readInTurn('read events', () => {
      const [low, high] = [this.#low, this.#high]
      const [last] = this.#connection.all<{ at: number }>(nth(this.#range), low, high, most - 1)
      if (!last) {
        this.#isAtEnd = true
        return read([low, high])
      }
      const at = Number(last.at)
      if (this.#range.order === 'oldest') {
        this.#low = at + 1
        return read([low, at])
      }
      this.#high = at - 1
      return read([at, high])
    })
  }
}
