import { type AuditEntry, isDeliveryKey, type Receiver } from 'webhook-inbox'
import type { AuditRow } from '../wire.js'

/** An act of many without a run goes on as long as no pause between two of its entries is longer than this. */
const longestPauseMilliseconds = 10 * 60_000

/** Acts that write no run, because the page asks for one after the other. */
const withoutRun: readonly string[] = ['undo', 'verifyAgain']

/** The same text for all entries that share a line; `undefined` for an entry that has a line of its own. */
function operationOf({
  action,
  run,
  key = '',
  endpoint = '',
  actor,
  reason,
}: AuditEntry): string | undefined {
  const isWithoutRun = withoutRun.includes(action)
  // Each change of the state of a run has a line of its own.
  const isOfMany = isWithoutRun || (run !== undefined && (key !== '' || action === 'startRun'))
  // A line has one person and one reason, because several people can undo parts of a run.
  return isOfMany
    ? JSON.stringify([isWithoutRun && action, isDeliveryKey(key, endpoint), run, actor, reason])
    : undefined
}

interface Line {
  /** The newest entry about an event. */
  readonly entry: AuditEntry
  readonly since: string
  readonly events: number
}

/**
 * The lines of entries that come newest first. An operation is one line, because a run over a thousand events writes a thousand
 * entries. An act of many that writes no run is one line until a longer pause, also if others do something in between.
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
    const line = place === undefined ? undefined : this.#lines[place]
    const pause = line ? Date.parse(line.since) - Date.parse(entry.at) : 0
    return entry.run !== undefined || pause <= longestPauseMilliseconds ? place : undefined
  }

  /** The rows. The count of a run includes its events on other pages. */
  async rows(receiver: Receiver, rowOf: (entry: AuditEntry) => AuditRow): Promise<AuditRow[]> {
    const rows: AuditRow[] = []
    if (this.#isSingle) {
      return this.#lines.map(({ entry }) => rowOf(entry))
    }
    for (const { entry, since, events } of this.#lines) {
      const count = Math.max(events, await appliedOf(receiver, entry))
      const { eventId: _, subject: __, ...ofMany } = rowOf(entry)
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
