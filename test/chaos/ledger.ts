import type { SignedBody } from '../../src/testing/delivery.js'

/** An event as its sender knows it. */
export interface Sent extends SignedBody {
  readonly id: string
  readonly type: string
  /** What becomes of it where the receiver does its duty; `kept`: an effect or the quarantine. */
  readonly fate: 'effect' | 'dead' | 'quarantined' | 'kept' | 'nothing'
}

/** What the sender has learnt about an event. */
export interface Entry {
  readonly sent: Sent
  attempts: number
  /** When the first 2xx was heard, in ms by the monotonic clock. */
  acknowledgedAt?: number
  /** Every answer that was heard, as `status outcome`. */
  readonly answers: Map<string, number>
}

/** What the sender heard, which is all that it may hold the receiver to. */
export class Ledger {
  readonly entries = new Map<string, Entry>()
  /** Answers that must never be given, with their evidence. */
  readonly breaches: string[] = []

  open(sent: Sent): Entry {
    const entry: Entry = { sent, attempts: 0, answers: new Map() }
    this.entries.set(sent.id, entry)
    return entry
  }

  /** `startedAt`: when the delivery was begun, in ms by the monotonic clock. */
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
    // What was begun after the acknowledgement can only be a duplicate: the event is done, or in the inbox.
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
