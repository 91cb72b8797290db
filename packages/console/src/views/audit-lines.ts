import type { AuditEntry, Receiver } from 'webhook-inbox'
import type { AuditRow } from '../wire.js'

/** The same text for all entries that share a line; `undefined` for an entry that has a line of its own. */
function operationOf({ action, run, key, actor, reason }: AuditEntry): string | undefined {
  // Each change of the state of a run has a line of its own.
  const isOfMany = action === 'undo' || (run !== undefined && (key !== undefined || action === 'startRun'))
  // A line has one person and one reason, because several people can undo parts of a run.
  return isOfMany ? JSON.stringify([action === 'undo', run, actor, reason]) : undefined
}

interface Line {
  /** The newest entry about an event. */
  readonly entry: AuditEntry
  readonly since: string
  readonly events: number
}

/**
 * The lines of entries that come newest first. An operation is one line, because a run over a thousand events writes a thousand
 * entries. An undo of single events writes no run, so only those that follow each other are one line.
 */
export class AuditLines {
  /** Whether each entry has a line of its own. */
  readonly #isSingle: boolean
  readonly #lines: Line[] = []
  readonly #runs = new Map<string, number>()

  constructor(isSingle: boolean) {
    this.#isSingle = isSingle
  }

  get length(): number {
    return this.#lines.length
  }

  /** Whether the entry needs a line of its own. */
  needsLine(entry: AuditEntry): boolean {
    return this.#placeOf(entry) === undefined
  }

  add(entry: AuditEntry): void {
    const place = this.#placeOf(entry)
    const events = entry.key === undefined ? 0 : 1
    const line = place === undefined ? undefined : this.#lines[place]
    if (place === undefined || line === undefined) {
      const operation = operationOf(entry)
      if (operation !== undefined) {
        this.#runs.set(operation, this.#lines.length)
      }
      this.#lines.push({ entry, since: entry.at, events })
      return
    }
    this.#lines[place] = { entry: line.entry, since: entry.at, events: line.events + events }
  }

  #placeOf(entry: AuditEntry): number | undefined {
    const operation = this.#isSingle ? undefined : operationOf(entry)
    const place = operation === undefined ? undefined : this.#runs.get(operation)
    return entry.run !== undefined || place === this.#lines.length - 1 ? place : undefined
  }

  /** The rows. The count of a run includes its events on other pages. */
  async rows(receiver: Receiver, rowOf: (entry: AuditEntry) => AuditRow): Promise<AuditRow[]> {
    const rows: AuditRow[] = []
    if (this.#isSingle) {
      return this.#lines.map(({ entry }) => rowOf(entry))
    }
    for (const { entry, since, events } of this.#lines) {
      const count = Math.max(events, await appliedOf(receiver, entry))
      const { eventId: _, ...ofMany } = rowOf(entry)
      rows.push(count > 1 ? { ...ofMany, count, since } : rowOf(entry))
    }
    return rows
  }
}

/** How many events the run of this entry changed. */
async function appliedOf(receiver: Receiver, { run, key, action }: AuditEntry): Promise<number> {
  if (run === undefined || key === undefined || action === 'undo') {
    return 0
  }
  const handle = await receiver.findRun(run)
  return (await handle?.progress())?.applied ?? 0
}
