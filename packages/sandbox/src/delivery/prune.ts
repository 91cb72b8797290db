import type { Database } from '../database/open.js'

/** Maximum numbers of stored rows. The oldest are deleted first. A pending delivery and its event always stay. */
export const retained = {
  events: 20_000,
  /** Deliveries that have ended. */
  deliveries: 20_000,
  attempts: 20_000,
  /** Bytes of attempts: their records, their responses, and bodies that differ from the event's body. */
  attemptBytes: 64 * 1024 * 1024,
} as const

export type Retained = { readonly [Name in keyof typeof retained]: number }

const attemptsPerPruning = 500

/** Prunes once for many attempts. */
export class Pruning {
  readonly #database: Database
  #attempts = 0

  constructor(database: Database) {
    this.#database = database
  }

  noteAttempt(): void {
    this.#attempts++
    if (this.#attempts === attemptsPerPruning) {
      this.#attempts = 0
      prune(this.#database)
    }
  }
}

/** Deletes rows beyond the limits. */
export function prune(database: Database, bounds: Retained = retained): void {
  database.transaction(() => {
    deleteAttempts(database, bounds)
    deleteDeliveries(database, bounds.deliveries)
    deleteEvents(database, bounds.events)
  })()
}

function deleteAttempts(database: Database, { attempts, attemptBytes }: Retained): void {
  const { bytes, newest } = database
    .prepare('SELECT coalesce(sum(size), 0) AS bytes, coalesce(max(seq), 0) AS newest FROM attempts')
    .get() as { bytes: number; newest: number }
  let last = newest - attempts
  let excess = bytes - attemptBytes
  if (excess > 0) {
    const rows = database.prepare('SELECT seq, size FROM attempts ORDER BY seq LIMIT ?').all(attempts)
    for (const { seq, size } of rows as { seq: number; size: number }[]) {
      if (excess <= 0) {
        break
      }
      excess -= size
      last = Math.max(last, seq)
    }
  }
  database.prepare('DELETE FROM attempts WHERE seq <= ?').run(last)
}

function deleteDeliveries(database: Database, kept: number): void {
  const { seq } = (database
    .prepare("SELECT seq FROM deliveries WHERE state <> 'pending' ORDER BY seq DESC LIMIT 1 OFFSET ?")
    .get(kept) ?? { seq: 0 }) as { seq: number }
  database
    .prepare(
      `DELETE FROM attempts WHERE delivery_id IN
       (SELECT id FROM deliveries WHERE seq <= ? AND state <> 'pending')`,
    )
    .run(seq)
  database.prepare("DELETE FROM deliveries WHERE seq <= ? AND state <> 'pending'").run(seq)
}

/** An event is deleted together with its deliveries. */
function deleteEvents(database: Database, kept: number): void {
  const { newest } = database.prepare('SELECT coalesce(max(seq), 0) AS newest FROM events').get() as {
    newest: number
  }
  const last = newest - kept
  const old = `SELECT id FROM events WHERE seq <= ? AND NOT EXISTS
    (SELECT 1 FROM deliveries WHERE event_id = events.id AND state = 'pending')`
  database
    .prepare(
      `DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE event_id IN (${old}))`,
    )
    .run(last)
  database.prepare(`DELETE FROM deliveries WHERE event_id IN (${old})`).run(last)
  database.prepare(`DELETE FROM events WHERE id IN (${old})`).run(last)
}
