import type { SignedBody } from '../../src/testing/delivery.js'

/** An event as sent. */
export interface Sent extends SignedBody {
  readonly id: string
  readonly type: string
  /** The expected end of the event. `kept` means an effect or the quarantine. */
  readonly fate: 'effect' | 'dead' | 'quarantined' | 'kept' | 'nothing'
}

/** What the sender knows about an event. */
export interface Entry {
  readonly sent: Sent
  attempts: number
  /** Time of the first 2xx, in ms of the monotonic clock. */
  acknowledgedAt?: number
  /** Every response, as `status outcome`. */
  readonly answers: Map<string, number>
}

/** The responses that the sender got. Only they bind the receiver. */
export class Ledger {
  readonly entries = new Map<string, Entry>()
  /** Forbidden responses, with evidence. */
  readonly breaches: string[] = []

  open(sent: Sent): Entry {
    const entry: Entry = { sent, attempts: 0, answers: new Map() }
    this.entries.set(sent.id, entry)
    return entry
  }

  /** Records a response. `startedAt` is the start of the delivery, in ms of the monotonic clock. */
  answered(entry: Entry, startedAt: number, status: number, body: string): void {
    const outcome = outcomeOf(body)
    const answer = `${status} ${outcome}`
    entry.answers.set(answer, (entry.answers.get(answer) ?? 0) + 1)
    const { id, fate } = entry.sent
    if (status < 200 || status > 299) {
      return
    }
    if (fate === 'nothing') {
      this.breaches.push(`forged ${id} was answered ${answer}`)
    }
    // A delivery that starts after the acknowledgement must be a duplicate: the event is done, or in the inbox.
    const isLater = entry.acknowledgedAt !== undefined && startedAt > entry.acknowledgedAt
    if (isLater && (outcome === 'processed' || outcome === 'accepted')) {
      this.breaches.push(`${id} was answered ${answer} after it had been acknowledged`)
    }
    entry.acknowledgedAt ??= performance.now()
  }

  get acknowledged(): Entry[] {
    return [...this.entries.values()].filter(({ acknowledgedAt }) => acknowledgedAt !== undefined)
  }
}

function outcomeOf(body: string): string {
  try {
    return String(JSON.parse(body).outcome)
  } catch {
    return 'unreadable'
  }
}
