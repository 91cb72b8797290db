import type { InboxHealth } from '../../../store/inbox.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { waitingSince } from './sqlite-oldest.js'

const states = ['accepted', 'failed', 'done', 'dead'] as const
type State = (typeof states)[number]

/** How many events of a state one statement counts. Deliveries wait for it for about a millisecond. */
const largestPart = 10_000

const from = 'FROM webhook_inbox_events WHERE state = ?'
const afterPart = `
  SELECT received_at, seq ${from} AND (received_at, seq) >= (?, ?)
  ORDER BY received_at, seq LIMIT 1 OFFSET ${largestPart}`
const rest = `SELECT count(*) AS n ${from} AND (received_at, seq) >= (?, ?)`
const quarantined = 'SELECT count(*) AS n FROM webhook_inbox_quarantine'

/** The first event of a part. */
interface Place {
  readonly received_at: number
  readonly seq: number
}

const start: Place = { received_at: Number.MIN_SAFE_INTEGER, seq: 0 }

/** Events of a state that are counted, and where the others begin; without `next` it is all of them. */
interface Progress {
  readonly count: number
  readonly next: Place | undefined
}

/**
 * The counts of an inbox. A large inbox is counted in parts, so that deliveries do not wait. There an event that changes its
 * state meanwhile may be counted twice or not at all.
 */
export function sqliteHealth<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): () => Promise<InboxHealth> {
  function countPart(state: State, { received_at, seq }: Place): Progress {
    const place = [state, Number(received_at), Number(seq)] as const
    const [next] = connection.all<Place>(afterPart, ...place)
    return { count: next ? largestPart : Number(connection.all<{ n: number }>(rest, ...place)[0]?.n), next }
  }

  async function countAll(state: State, first: Progress): Promise<number> {
    let { count, next } = first
    while (next) {
      const place = next
      const part = await connection.readInTurn('count events', () => countPart(state, place))
      count += part.count
      next = part.next
    }
    return count
  }

  return async () => {
    const { firsts, inQuarantine } = await connection.read('count events', () => ({
      firsts: states.map((state) => countPart(state, start)),
      inQuarantine: Number(connection.all<{ n: number }>(quarantined)[0]?.n),
    }))
    const [accepted, failed, done, dead] = (await Promise.all(
      states.map((state, at) => countAll(state, firsts[at] as Progress)),
    )) as [number, number, number, number]
    const since = await waitingSince(connection, [1, ''])
    return {
      counts: { accepted, failed, done, dead, quarantined: inQuarantine },
      oldestUnprocessedSeconds: since === undefined ? 0 : Math.max(0, (Date.now() - since) / 1000),
    }
  }
}
