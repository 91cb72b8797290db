import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase, SqliteValue } from '../connection/sqlite-database.js'
import { EventParts, type EventRange, partOf } from './event-parts.js'

/** How many rows were read, and how many of them are of the endpoint. */
export interface Counted {
  readonly mine: number
  readonly seen: number
}

/** The values of `isMine`: 1 for every endpoint or 0, and the endpoint. */
export type Mine = readonly [isAnyEndpoint: number, endpoint: string]

// Not a null for every endpoint: libsql takes a null that is the only value for an object of named ones. And no `?1`:
// better-sqlite3 takes that for a name.
export const isMine = '(? OR endpoint = ?)'

/** How many entries of an index one statement reads. A delivery that arrives meanwhile waits for it. */
const mostInPart = 250

const counted = (from: string) =>
  `SELECT count(*) AS seen, count(CASE WHEN ${isMine} THEN 1 END) AS mine FROM ${from}`
const countedQuarantine = counted('(SELECT endpoint FROM webhook_inbox_quarantine LIMIT ? OFFSET ?)')

/** Counts the events of a range in parts. Can continue to a higher limit later. */
export class EventCount<Database extends SqliteDatabase> {
  readonly #connection: Connection<Database>
  readonly #events: EventParts<Database>
  readonly #mine: Mine
  readonly #sql: string
  readonly #onPart: (values: readonly SqliteValue[]) => void
  #sum: Counted = { mine: 0, seen: 0 }

  /** `onPart` reads more from each part. */
  constructor(
    connection: Connection<Database>,
    range: EventRange,
    mine: Mine,
    onPart: (values: readonly SqliteValue[]) => void = () => {},
  ) {
    this.#connection = connection
    this.#events = new EventParts(connection, range)
    this.#mine = mine
    this.#sql = counted(partOf(range.state, 'endpoint'))
    this.#onPart = onPart
  }

  /** `seen` is more than `limit` if there are more. */
  async upTo(limit: number): Promise<Counted> {
    while (!this.#events.isAtEnd && this.#sum.seen <= limit) {
      await this.#events.next(Math.min(mostInPart, limit + 1 - this.#sum.seen), (values) => {
        this.#onPart(values)
        this.#sum = sumOf(this.#sum, this.#connection.all<Counted>(this.#sql, ...this.#mine, ...values))
      })
    }
    return atMost(this.#sum, limit)
  }
}

/** Counts quarantined deliveries in the same way. The entries of an index that a part skips cost little. */
export async function countQuarantined<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  mine: Mine,
  limit: number,
): Promise<Counted> {
  let [sum, isAtEnd] = [{ mine: 0, seen: 0 } as Counted, false]
  while (!isAtEnd && sum.seen <= limit) {
    const most = Math.min(mostInPart, limit + 1 - sum.seen)
    const next = sumOf(
      sum,
      await connection.readInTurn('count deliveries', () =>
        connection.all<Counted>(countedQuarantine, ...mine, most, sum.seen),
      ),
    )
    isAtEnd = next.seen < sum.seen + most
    sum = next
  }
  return atMost(sum, limit)
}

const sumOf = ({ mine, seen }: Counted, [found]: readonly Counted[]): Counted => ({
  mine: mine + Number(found?.mine),
  seen: seen + Number(found?.seen),
})

const atMost = ({ mine, seen }: Counted, limit: number): Counted => ({ mine: Math.min(mine, limit), seen })
