import type { Code, ReceiveResult } from 'webhook-inbox'

/** One action of the receiver: it answered a delivery, or it ran a handler. */
export interface Entry {
  readonly kind: 'delivery' | 'run'
  /** The event type. `unverified` if the signature is invalid, `unread` if the receiver was down. */
  readonly type: string
  readonly eventId: string | undefined
  readonly transferId: string | undefined
  /** The status of a delivery, and the code or the outcome. */
  readonly verdict: string
  readonly outcome: string
  readonly code?: Code | undefined
  /** Only for deliveries. */
  readonly status?: number
}

/** Keeps entries until the step that caused them takes them. */
export class Journal {
  #entries: Entry[] = []
  readonly #listeners = new Set<() => void>()

  note(entry: Entry): void {
    this.#entries.push(entry)
    for (const listener of this.#listeners) {
      listener()
    }
  }

  /** Resolves to the next matching entry, or to `undefined` after a time limit or an abort. */
  async take(
    matches: (entry: Entry) => boolean,
    seconds: number,
    signal: AbortSignal,
  ): Promise<Entry | undefined> {
    // Node collects an AbortSignal.timeout() that only AbortSignal.any() refers to.
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), seconds * 1000)
    try {
      return await this.#takeUntil(AbortSignal.any([signal, limit.signal]), matches)
    } finally {
      clearTimeout(timer)
    }
  }

  async #takeUntil(end: AbortSignal, matches: (entry: Entry) => boolean): Promise<Entry | undefined> {
    for (;;) {
      const index = this.#entries.findIndex(matches)
      if (index >= 0) {
        return this.#entries.splice(index, 1)[0]
      }
      if (end.aborted) {
        return undefined
      }
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#listeners.delete(wake)
          end.removeEventListener('abort', wake)
          resolve()
        }
        this.#listeners.add(wake)
        end.addEventListener('abort', wake)
      })
    }
  }

  /** The entries that no step has taken. */
  drain(): Entry[] {
    return this.#entries.splice(0)
  }
}

/** Makes an entry from the result of a delivery or a run. */
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
