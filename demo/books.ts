import { lifecycle, type WebhookEvent } from 'webhook-inbox'
import type { SqliteDatabase } from 'webhook-inbox/stores/sqlite'
import { ApiError, type Client } from 'webhook-inbox-client'
import type { Screen } from './screen.js'
import { shortId } from './short-id.js'

/** The table has no unique key on purpose, so that a count shows whether an event was entered twice. */
const schema = `
  CREATE TABLE IF NOT EXISTS demo_entries (
    seq INTEGER PRIMARY KEY, event_id TEXT, type TEXT, transfer_id TEXT, state TEXT, created_at TEXT);
  CREATE TABLE IF NOT EXISTS demo_deliveries (
    event_id TEXT, outcome TEXT, count INTEGER, PRIMARY KEY (event_id, outcome))`

interface Entered {
  readonly event_id: string
  readonly type: string
  readonly entries: number
  readonly deliveries: number
}

/** The books of a business, in the file of the inbox. No event may be entered twice. */
export class Books {
  readonly #database: SqliteDatabase

  constructor(database: SqliteDatabase) {
    this.#database = database
    database.exec(schema)
  }

  /** Enters an event in the transaction that marks it done. A crash leaves both or neither. */
  enter(event: WebhookEvent, transferId: string | undefined, state: string): void {
    this.#database
      .prepare(
        'INSERT INTO demo_entries (event_id, type, transfer_id, state, created_at) VALUES (?, ?, ?, ?, ?)',
      )
      .run(event.id, event.type, transferId ?? null, state, event.createdAt)
  }

  /** Returns the state of a transfer by the creation time of its events, not by their arrival. */
  stateOf(transferId: string): string | undefined {
    const sql =
      "SELECT state FROM demo_entries WHERE transfer_id = ? AND type LIKE 'transfer.%' ORDER BY created_at DESC, seq DESC LIMIT 1"
    return this.#all<{ state: string }>(sql, transferId)[0]?.state
  }

  /** Returns the number of processed events, in this run and earlier ones. */
  countEvents(): number {
    const [row] = this.#all<{ n: number }>('SELECT count(DISTINCT event_id) AS n FROM demo_entries')
    return Number(row?.n)
  }

  /** Counts a delivery, to compare deliveries with entries. */
  count(outcome: string, eventId: string | undefined): void {
    this.#database
      .prepare(`INSERT INTO demo_deliveries VALUES (?, ?, 1)
        ON CONFLICT (event_id, outcome) DO UPDATE SET count = count + 1`)
      .run(eventId ?? '', outcome)
  }

  /** Shows the books. Returns false if an event was entered more than once. */
  close(show: Screen, waiting: number): boolean {
    const outcomes = this.#all<{ outcome: string; n: number }>(
      'SELECT outcome, sum(count) AS n FROM demo_deliveries GROUP BY outcome ORDER BY min(rowid)',
    )
    const total = outcomes.reduce((sum, { n }) => sum + Number(n), 0)
    const parts = outcomes.map(({ outcome, n }) => `${n} ${outcome}`)
    const effects = this.#all<Entered>(`
      SELECT event_id, type, count(*) AS entries, max(seq) AS last, (
        SELECT coalesce(sum(count), 0) FROM demo_deliveries AS d WHERE d.event_id = e.event_id) AS deliveries
      FROM demo_entries AS e GROUP BY event_id ORDER BY deliveries DESC, last DESC`)
    const shown = effects.slice(0, 8)
    const repeated = effects.filter(({ entries }) => Number(entries) > 1).map(({ event_id }) => event_id)

    show.title('The books')
    show.field('deliveries', [String(total), ...parts].join(', '))
    show.field('events', `${effects.length} acted on, ${waiting} waiting in the inbox`)
    show.blank()
    for (const { event_id, type, entries, deliveries } of shown) {
      const delivered = String(deliveries).padStart(3)
      show.text(
        `${shortId(event_id).padEnd(12)} ${type.padEnd(18)} delivered ${delivered} x, acted on ${entries} x`,
      )
    }
    if (effects.length > shown.length) {
      show.text(`and ${effects.length - shown.length} others`)
    }
    if (waiting > 0) {
      show.text('the next start of the demo runs what waits')
    }
    show.blank()
    if (repeated.length === 0) {
      show.good('every event acted on was acted on exactly once')
    } else {
      show.bad(`acted on more than once: ${repeated.join(', ')}`)
    }
    show.blank()
    return repeated.length === 0
  }

  #all<Row>(sql: string, ...values: (string | number)[]): Row[] {
    return this.#database.prepare(sql).all(...values) as Row[]
  }
}

const transfers = lifecycle({ pending: ['settled', 'failed'], settled: [], failed: [] })

/**
 * Returns the state of a transfer after an event. If two events contradict each other, asks the service, because neither
 * their arrival nor their creation time decides.
 */
export async function settle(
  books: Books,
  client: Client,
  transferId: string,
  state: 'settled' | 'failed',
): Promise<string> {
  if (transfers(books.stateOf(transferId), state) !== 'conflict') {
    return state
  }
  try {
    return (await client.transfers.get(transferId)).status
  } catch (error) {
    // The transfer is from an earlier run, whose sandbox is gone.
    if (error instanceof ApiError && error.status === 404) {
      return 'disputed'
    }
    throw error
  }
}
