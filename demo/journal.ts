import type { Code, ReceiveResult } from 'webhook-inbox'

/** One thing that happened at the receiver: a delivery was answered, or a handler has run. */
export interface Entry {
  readonly kind: 'delivery' | 'run'
  /** The event type; `unverified` where the signature did not hold, `unread` where the receiver was down. */
  readonly type: string
  readonly eventId: string | undefined
  readonly transferId: string | undefined
  /** The status where it was a delivery, and the code or the outcome. */
  readonly verdict: string
  readonly outcome: string
  readonly code?: Code | undefined
  /** Of a delivery. */
  readonly status?: number
}

/** Keeps what happened until the step that caused it takes it. */
export class Journal {
  #entries: Entry[] = []
  readonly #listeners = new Set<() => void>()

  note(entry: Entry): void {
    this.#entries.push(entry)
    for (const listener of this.#listeners) {
      listener()
    }
  }

  /** The next entry that matches; `undefined` where none comes in time, or the signal aborts. */
  async take(
    matches: (entry: Entry) => boolean,
    seconds: number,
    signal: AbortSignal,
  ): Promise<Entry | undefined> {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
    for (;;) {
      const index = this.#entries.findIndex(matches)
      if (index >= 0) {
        return this.#entries.splice(index, 1)[0]
      }
      if (inTime.aborted) {
        return undefined
      }
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#listeners.delete(wake)
          inTime.removeEventListener('abort', wake)
          resolve()
        }
        this.#listeners.add(wake)
        inTime.addEventListener('abort', wake)
      })
    }
  }

  /** What no step has taken. */
  drain(): Entry[] {
    return this.#entries.splice(0)
  }
}

/** The entry of what a receiver says about a delivery or a run. */
export function entryOf(kind: Entry['kind'], result: ReceiveResult): Entry {
  const { event, eventId, status, outcome, code } = result
  const data = event?.data as { transferId?: unknown } | undefined
  return {
    kind,
    type: event?.type ?? 'unverified',
    eventId,
    transferId: typeof data?.transferId === 'string' ? data.transferId : undefined,
    verdict: kind === 'run' ? outcome : `${status} ${code ?? outcome}`,
    outcome,
    code,
    ...(kind === 'delivery' && { status }),
  }
}
