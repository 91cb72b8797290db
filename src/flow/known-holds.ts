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
  #readAt = Number.NEGATIVE_INFINITY
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
    if (performance.now() - this.#readAt > freshFor) {
      await this.refresh()
    }
  }

  /** Asks the store what is held back. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  /** Takes what the store holds back now, as of this moment. */
  take(holds: Holds): void {
    const before = this.#holds
    this.#holds = holds
    this.#readAt = performance.now()
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

  async #read(): Promise<void> {
    if (this.#store) {
      this.take(await this.#store.holds(this.#endpoint))
    }
  }
}

/** The pauses and circuits, as keys that can be compared. */
const keysOf = ({ pauses, circuits }: Holds): string[] => [
  ...pauses.map(({ type, resource }) => JSON.stringify([type, resource])),
  ...circuits.filter(({ isHolding }) => isHolding).map(({ type }) => `circuit ${type}`),
]
