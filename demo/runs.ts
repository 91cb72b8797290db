import type { ReceiveResult } from 'webhook-inbox'

/** What became of events that were run from the inbox, kept for the step that delivered them. */
export class Runs {
  readonly #results = new Map<string, ReceiveResult[]>()
  readonly #listeners = new Set<() => void>()

  /** From now on the runs of this event are waited for. */
  expect(eventId: string): void {
    if (!this.#results.has(eventId)) this.#results.set(eventId, [])
  }

  /** Takes the result of a run; false where nobody waits for it. */
  take(result: ReceiveResult): boolean {
    const results = this.#results.get(result.eventId ?? '')
    results?.push(result)
    for (const listener of this.#listeners) listener()
    return results !== undefined
  }

  /** The next run of an event; `undefined` where it does not come in time, or the signal aborts. */
  async next(eventId: string, seconds: number, signal: AbortSignal): Promise<ReceiveResult | undefined> {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
    for (;;) {
      const result = this.#results.get(eventId)?.shift()
      if (result || inTime.aborted) return result
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
}
