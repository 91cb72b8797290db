import { type Circuit, type FlowStore, type Holds, isPausedBy, type Pause } from '../store/flow-store.js'
import { CircuitTimer } from './circuit-timer.js'

/** How long this process uses a result of the store while events run, in milliseconds. */
const freshFor = 1000

/** What is held back of an endpoint, as this process last read it from the store. */
export class KnownHolds {
  readonly #endpoint: string
  readonly #store: FlowStore | undefined
  readonly #onResumed: () => void
  readonly #timer = new CircuitTimer(() => void this.refresh().catch(() => {}))
  #holds: Holds = { pauses: [], circuits: [] }
  /** When the store was asked for these, by `performance.now()`. */
  #askedAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  /** `onResumed` is called when events may run that were held back. */
  constructor(endpoint: string, store: FlowStore | undefined, onResumed: () => void) {
    this.#endpoint = endpoint
    this.#store = store
    this.#onResumed = onResumed
  }

  /** The pause that holds an event back. */
  pauseOf(event: { readonly type: string; readonly resource?: string | undefined }): Pause | undefined {
    return this.#holds.pauses.find((pause) => isPausedBy(pause, event))
  }

  circuitOf(type: string): Circuit | undefined {
    return this.#holds.circuits.find((circuit) => circuit.type === type)
  }

  /** Asks the store, unless the last result is recent. */
  async keepFresh(): Promise<void> {
    if (performance.now() - this.#askedAt > freshFor) {
      await this.#ask()
    }
  }

  /** Asks the store what is held back. */
  async refresh(): Promise<void> {
    // A question under way may be older than what the caller has just changed.
    await this.#reading?.catch(() => {})
    await this.#ask()
  }

  /** Takes what the store held back when it was asked. Ignores an answer to an older question than the last one. */
  take(holds: Holds, askedAt: number): void {
    if (askedAt < this.#askedAt) {
      return
    }
    const before = this.#holds
    this.#holds = holds
    this.#askedAt = askedAt
    this.#timer.watch(holds.circuits)
    const keys = new Set(keysOf(holds))
    if (keysOf(before).some((key) => !keys.has(key))) {
      this.#onResumed()
    }
  }

  /** Stops reading the store periodically. */
  end(): void {
    this.#timer.end()
  }

  /** One question at a time serves all callers. */
  #ask(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    if (this.#store) {
      const askedAt = performance.now()
      this.take(await this.#store.holds(this.#endpoint), askedAt)
    }
  }
}

/**
 * The pauses and circuits, as keys that can be compared. An open circuit has a second key, because its trial can begin and end between
 * two reads, and other jobs were dropped meanwhile.
 */
const keysOf = ({ pauses, circuits }: Holds): string[] => [
  ...pauses.map(({ type, resource }) => JSON.stringify([type, resource])),
  ...circuits.filter(({ retryAt }) => retryAt !== undefined).map(({ type }) => `open ${type}`),
  ...circuits.filter(({ isHolding }) => isHolding).map(({ type }) => `circuit ${type}`),
]
