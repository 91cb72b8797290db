import type { Job } from '../queue/queue.js'
import { JobHeld } from '../queue/queue.js'
import type { BreakerRule, FlowStore, Holds } from '../store/flow-store.js'
import type { DueFilter } from '../store/inbox.js'
import { Limiter, type Limits } from './limiter.js'
import { priorityOf } from './priority.js'
import { searchesOf } from './searches.js'

export interface FlowOptions {
  readonly endpoint: string
  readonly breaker?: BreakerRule | undefined
  readonly limits?: Limits | undefined
  readonly priorities?: Readonly<Record<string, number>> | undefined
  /** How long a trial may take before another one may begin. */
  readonly trialSeconds: number
}

/** How a run ended, for the circuit of its type. */
export type RunEnd =
  | { readonly state: 'succeeded' }
  | { readonly state: 'failed'; readonly fingerprint: string }
  /** It says nothing about the handler. */
  | { readonly state: 'untried' }

/** How old the response of the store may be while events run, in milliseconds. */
const freshFor = 1000

/** Decides whether an event may run now: by pauses, circuits and limits. */
export class FlowGate {
  readonly #options: FlowOptions
  readonly #store: FlowStore | undefined
  readonly #limiter: Limiter
  #holds: Holds = { pauses: [], circuits: [] }
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  #onResumed: () => void = () => {}
  #circuitTimer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(options: FlowOptions, store: FlowStore | undefined) {
    this.#options = options
    this.#store = store
    this.#limiter = new Limiter(options.limits ?? {})
  }

  /** Called when events may run that were held back. */
  set onResumed(listener: () => void) {
    this.#onResumed = listener
  }

  /** What this process holds back because of its limits. */
  limited = () => this.#limiter.limited()

  /** Whether a resource is at its limit in this process. */
  isFull = (resource: string) => this.#limiter.isFull(resource)

  /** How an engine that searches the inbox should search it, most urgent first. */
  searches(): { readonly filters: readonly DueFilter[]; readonly wakeAfterSeconds: number } {
    const { wakeAfterSeconds, ...limited } = this.limited()
    return { filters: searchesOf(this.#options.priorities ?? {}, limited), wakeAfterSeconds }
  }

  priorityOf(type: string): number | undefined {
    return priorityOf(this.#options, type)
  }

  /** Runs an event unless it is held back. Rejects with `JobHeld` where it is. */
  async run({ type, resource }: Job, work: (ended: (end: RunEnd) => void) => Promise<void>): Promise<void> {
    if (performance.now() - this.#readAt > freshFor) {
      await this.refresh()
    }
    const circuit = this.#holds.circuits.find((each) => each.type === type)
    this.#checkHolds(type, resource, circuit?.isHolding ?? false)
    const place = this.#limiter.enter(type, resource)
    if ('retryAfterSeconds' in place) {
      throw new JobHeld('rate_limited', place.retryAfterSeconds, !place.isNamed)
    }
    let end: RunEnd = { state: 'untried' }
    try {
      if (circuit?.retryAt !== undefined) {
        await this.#startTrial(type)
      }
      await work((how) => {
        end = how
      })
    } finally {
      place.leave()
      await this.#note(type, end, circuit !== undefined)
    }
  }

  /** Asks the store what is held back. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  /** Looks at the store no more by itself. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#circuitTimer)
  }

  /** Takes what the store holds back now, as of this moment. */
  take(holds: Holds): void {
    const before = this.#holds
    this.#holds = holds
    this.#readAt = performance.now()
    this.#watchCircuits(holds)
    const keys = new Set(heldBy(holds))
    if (heldBy(before).some((key) => !keys.has(key))) {
      this.#onResumed()
    }
  }

  /** Looks again when the first open circuit allows a trial. The clocks of store and process may differ. */
  #watchCircuits({ circuits }: Holds): void {
    const times = circuits.flatMap(({ isHolding, retryAt }) =>
      isHolding && retryAt ? [Date.parse(retryAt)] : [],
    )
    clearTimeout(this.#circuitTimer)
    if (times.length === 0 || this.#isOver) {
      return
    }
    const wait = Math.max(1000, Math.min(...times) - Date.now() + 50)
    const timer: ReturnType<typeof setTimeout> | number = setTimeout(
      () => void this.refresh().catch(() => {}),
      Math.min(wait, 86_400_000),
    )
    this.#circuitTimer = timer
    // Outside Node a timer is a number, and keeps no process.
    if (typeof timer === 'object') {
      timer.unref()
    }
  }

  async #read(): Promise<void> {
    if (this.#store) {
      this.take(await this.#store.holds(this.#options.endpoint))
    }
  }

  #checkHolds(type: string, resource: string | undefined, isCircuitHolding: boolean): void {
    const isPaused = this.#holds.pauses.some((pause) =>
      pause.type === undefined
        ? pause.resource === undefined || pause.resource === resource
        : pause.type === type,
    )
    if (isPaused) {
      throw new JobHeld('paused')
    }
    if (isCircuitHolding) {
      throw new JobHeld('circuit_open')
    }
  }

  async #startTrial(type: string): Promise<void> {
    const { endpoint, trialSeconds } = this.#options
    if (!(await this.#store?.startTrial(endpoint, type, trialSeconds))) {
      throw new JobHeld('circuit_open')
    }
  }

  /** Failures are counted where a breaker is set. A success ends the count, where there is one. */
  async #note(type: string, end: RunEnd, isCounted: boolean): Promise<void> {
    const { endpoint, breaker } = this.#options
    const store = this.#store
    if (!store || end.state === 'untried' || (end.state === 'succeeded' && !isCounted)) {
      return
    }
    try {
      if (end.state === 'succeeded') {
        await store.closeCircuit(endpoint, type)
      } else if (breaker) {
        await store.countFailure(endpoint, type, end.fingerprint, breaker)
      } else {
        return
      }
      await this.refresh()
    } catch {
      // The event has its own outcome. The next one of its type is counted.
    }
  }
}

/** What holds events back, as keys that can be compared. */
const heldBy = ({ pauses, circuits }: Holds): string[] => [
  ...pauses.map(({ type, resource }) => JSON.stringify([type, resource])),
  ...circuits.filter(({ isHolding }) => isHolding).map(({ type }) => `circuit ${type}`),
]
