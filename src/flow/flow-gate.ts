import { JobNotDone } from '../errors.js'
import { type Job, JobHeld } from '../queue/queue.js'
import type { BreakerRule, Circuit, FlowStore, Holds } from '../store/flow-store.js'
import type { DueFilter } from '../store/inbox.js'
import { Shutdown } from '../timing/shutdown.js'
import { KnownHolds } from './known-holds.js'
import { Limiter, type Limits, type Place } from './limiter.js'
import { priorityOf } from './priority.js'
import { searchesOf } from './searches.js'

export interface FlowOptions {
  readonly endpoint: string
  readonly breaker?: BreakerRule | undefined
  readonly limits?: Limits | undefined
  readonly priorities?: Readonly<Record<string, number>> | undefined
  /** How long a trial may take before another one may begin. */
  readonly trialSeconds: number
  /** How long a claim lasts without its handler. */
  readonly leaseSeconds: number
}

/** How a run ended, for the circuit of its type. */
export type RunEnd =
  | { readonly state: 'succeeded' }
  | { readonly state: 'failed'; readonly fingerprint: string }
  /** The outcome says nothing about the handler. */
  | { readonly state: 'untried' }

/** What the gate gives to the work on a job. */
export interface GatedRun {
  /** Whether `begin` asks the store for a trial. Until then the work must hold no claim, which may need the last client of a pool. */
  readonly isTrial: boolean
  /** Call it before the handler. A job that ends without it has used up no trial and no part of a rate. Rejects with `JobHeld`. */
  begin(): Promise<void>
  readonly ended: (end: RunEnd) => void
}

/** Decides by pauses, circuits and limits whether an event may run now. */
export class FlowGate {
  readonly #options: FlowOptions
  readonly #store: FlowStore | undefined
  readonly #holds: KnownHolds
  readonly #limiter: Limiter
  readonly #onResumed: () => void
  #running = 0
  /** The id of the reports of this process. */
  reportsAs: string | undefined

  /** `onResumed` is called when events may run that were held back. */
  constructor(options: FlowOptions, store: FlowStore | undefined, onResumed: () => void) {
    this.#options = options
    this.#store = store
    this.#holds = new KnownHolds(options.endpoint, store, onResumed)
    this.#limiter = new Limiter(options.limits ?? {})
    this.#onResumed = onResumed
  }

  /** How many handlers run in this process. */
  get running(): number {
    return this.#running
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

  /** Resolves to the circuit of the event’s type. Rejects with `JobHeld` if that or a pause holds the event back. */
  async checkHolds(job: Job): Promise<Circuit | undefined> {
    await this.#holds.keepFresh()
    if (this.#holds.pauseOf(job)) {
      throw new JobHeld('paused')
    }
    const circuit = this.#holds.circuitOf(job.type)
    if (circuit?.isHolding) {
      throw new JobHeld('circuit_open')
    }
    return circuit
  }

  /** Runs an event. Rejects with `JobHeld` if it is held back. */
  async run(job: Job, work: (run: GatedRun) => Promise<void>): Promise<void> {
    const { type, resource } = job
    const circuit = await this.checkHolds(job)
    const place = this.#limiter.enter(type, resource)
    if ('retryAfterSeconds' in place) {
      throw new JobHeld('rate_limited', place.retryAfterSeconds, !place.isNamed)
    }
    this.#running++
    const isTrial = circuit?.retryAt !== undefined
    let hasBegun = false
    let end: RunEnd = { state: 'untried' }
    let overdue: Promise<unknown> | undefined
    try {
      await work({
        isTrial,
        begin: async () => {
          if (isTrial) {
            await this.#startTrial(type)
          }
          hasBegun = true
        },
        ended(how) {
          end = how
        },
      })
    } catch (error) {
      overdue = error instanceof JobNotDone ? error.overdue : undefined
      throw error
    } finally {
      if (overdue) {
        void this.#leaveLate(place, overdue)
      } else {
        this.#leave(place, hasBegun)
      }
      await this.#note(type, end, circuit)
    }
  }

  /** Asks the store what is held back. */
  refresh = () => this.#holds.refresh()

  /** Takes what the store held back when it was asked, by `performance.now()`. */
  take = (holds: Holds, askedAt: number) => this.#holds.take(holds, askedAt)

  /** Stops reading the store periodically. */
  end = () => this.#holds.end()

  /** A handler that runs past its time keeps its place until it ends, or until its claim must have ended. */
  async #leaveLate(place: Place, overdue: Promise<unknown>): Promise<void> {
    const end = new Shutdown()
    await Promise.race([
      overdue.catch(() => {}),
      end.sleep(this.#options.leaseSeconds, { keepsProcess: false }),
    ])
    end.begin()
    this.#leave(place, true)
    this.#onResumed()
  }

  #leave({ leave, giveBack }: Place, hasBegun: boolean): void {
    this.#running--
    if (hasBegun) {
      leave()
    } else {
      giveBack()
    }
  }

  async #startTrial(type: string): Promise<void> {
    const { endpoint, trialSeconds } = this.#options
    if (!(await this.#store?.startTrial(endpoint, type, trialSeconds))) {
      throw new JobHeld('circuit_open')
    }
  }

  /** Counts failures if a breaker is set. A success resets the count. */
  async #note(type: string, end: RunEnd, circuit: Circuit | undefined): Promise<void> {
    const { endpoint, breaker } = this.#options
    try {
      if (end.state === 'succeeded' && circuit) {
        await this.#store?.closeCircuit(endpoint, type)
      } else if (end.state === 'failed' && breaker) {
        await this.#store?.countFailure(endpoint, type, end.fingerprint, breaker)
      } else {
        return
      }
      await this.refresh()
    } catch {
      // An error here must not change the outcome of the event. The next event of its type is counted again.
    }
  }
}
