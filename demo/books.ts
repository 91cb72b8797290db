import type { WebhookEvent } from 'webhook-inbox'
import type { Screen } from './screen.js'

/** Stands for the books of a business: what must never be entered twice. */
export class Books {
  /** How often each event took effect, by event id. */
  readonly #effects = new Map<string, { readonly type: string; count: number }>()
  readonly #transfers = new Map<string, { readonly state: string; readonly since: number }>()
  readonly #outcomes = new Map<string, number>()
  readonly #deliveries = new Map<string, number>()
  readonly #failed = new Set<string>()

  /** Enters an event. News of a transfer counts by when it happened, not by when it arrived. */
  enter(event: WebhookEvent, transferId: string | undefined, state: string): void {
    const { id, type } = event
    const effect = this.#effects.get(id) ?? { type, count: 0 }
    effect.count++
    this.#effects.set(id, effect)

    const since = Date.parse(event.createdAt)
    if (transferId === undefined || (this.#transfers.get(transferId)?.since ?? 0) > since) return
    this.#transfers.set(transferId, { state, since })
  }

  stateOf(transferId: string): string | undefined {
    return this.#transfers.get(transferId)?.state
  }

  /** Counts a delivery, to hold what came in against what was entered. */
  count(outcome: string, eventId: string | undefined): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1)
    if (eventId === undefined) return
    this.#deliveries.set(eventId, (this.#deliveries.get(eventId) ?? 0) + 1)
    if (outcome === 'failed') this.#failed.add(eventId)
  }

  /** Shows the books; false where an event was entered more than once. */
  close(show: Screen): boolean {
    const effects = [...this.#effects]
    const shown = effects.slice(-8)
    const total = [...this.#outcomes.values()].reduce((sum, count) => sum + count, 0)
    const parts = Array.from(this.#outcomes, ([outcome, count]) => `${count} ${outcome}`)
    const repeated = effects.filter(([, { count }]) => count > 1).map(([id]) => id)
    const waiting = [...this.#failed].filter((id) => !this.#effects.has(id))

    show.title('The books')
    show.field('deliveries', [String(total), ...parts].join(', '))
    show.field('events', `${effects.length} acted on`)
    show.blank()
    for (const [id, { type, count }] of shown) {
      const delivered = String(this.#deliveries.get(id) ?? 0).padStart(3)
      show.text(`${id.padEnd(12)} ${type.padEnd(18)} delivered ${delivered} x, acted on ${count} x`)
    }
    if (effects.length > shown.length) show.text(`and ${effects.length - shown.length} before them`)
    if (waiting.length > 0) show.text(`${waiting.join(', ')} failed and waits to be delivered again`)
    show.blank()
    if (repeated.length === 0) show.good('every event acted on was acted on exactly once')
    else show.bad(`acted on more than once: ${repeated.join(', ')}`)
    show.blank()
    return repeated.length === 0
  }
}
