import { randomUUID } from 'node:crypto'
import type { Receiver } from 'webhook-inbox'
import { isLate } from './is-late.js'
import type { Limits } from './limits.js'
import { problemOf } from './problem.js'
import type { ProblemCode } from './wire.js'
import { withinSeconds } from './within-seconds.js'

/** The minimum pause after a check, as a multiple of the time of the check. So a busy store is asked less often. */
const restPerLook = 50
/** One slow check, such as the first one of a busy machine, must not make the page old for long. */
const longestRestSeconds = 10
/** How long a check may take. Two that take longer end the streams, so a page soon says that it is not current. */
const mostSeconds = 3
/** The statistics count arrivals in this time. A shorter time reads less. */
const windowMilliseconds = 1000

/**
 * Tells readers that the inbox changed. It compares limited counts of the endpoint, its newest event and audit, its open
 * circuits and the processes that run events. It does so once for all readers, and only while there is a reader. If the store
 * does not respond, the streams end, because a page that stays connected would call old figures current.
 */
export class Changes {
  readonly #receiver: Receiver
  readonly #limits: Limits
  readonly #start = randomUUID().slice(0, 8)
  readonly #readers = new Set<() => void>()
  #count = 0
  #failures = 0
  #lostBy: ProblemCode = 'store_unavailable'
  #trustedAt = 0
  #state: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #forgetEnd = () => {}
  #asking: Promise<void> | undefined

  constructor(receiver: Receiver, limits: Limits) {
    this.#receiver = receiver
    this.#limits = limits
  }

  /** Whether the program is stopping. Then nothing is compared, and the streams end. */
  get hasEnded(): boolean {
    return this.#receiver.stopping.aborted
  }

  /** Whether the store did not respond twice. One failure may be a lock of another process. */
  get isLost(): boolean {
    return this.#failures > 1
  }

  /** Why the store is lost: `busy` if another transaction locks its tables. */
  get lostBy(): ProblemCode {
    return this.#lostBy
  }

  /** Whether a process may live although the store has no new report of it: the store does not respond, or did not until now. */
  get mayMissReports(): boolean {
    return this.isLost || performance.now() < this.#trustedAt
  }

  /** Asks a lost store again: once for all pages that connect, and after a pause. Until then its last answer counts. */
  async isBack(): Promise<boolean> {
    this.#asking ??= this.#ask()
    await this.#asking
    return this.#failures === 0
  }

  async #ask(): Promise<void> {
    const start = performance.now()
    await this.#compare()
    setTimeout(() => {
      this.#asking = undefined
    }, this.#restAfter(start) * 1000).unref()
  }

  /** The id of the newest change. Each start of the program has other ids. */
  get id(): string {
    return `${this.#start}-${this.#count}`
  }

  /** Calls `reader` after each change. Returns a function that ends this. */
  follow(reader: () => void): () => void {
    this.#readers.add(reader)
    if (this.#readers.size === 1) {
      this.#schedule(0)
      this.#forgetEnd = beforeStop(this.#receiver.stopping, () => this.#end())
    }
    return () => {
      this.#readers.delete(reader)
      if (this.#readers.size === 0) {
        clearTimeout(this.#timer)
        this.#forgetEnd()
        // Without a reader nothing is compared. The next reader gets a change, and reads everything.
        this.#state = undefined
      }
    }
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#tell()
  }

  #tell(): void {
    for (const reader of this.#readers) {
      reader()
    }
  }

  #schedule(pauseSeconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(), pauseSeconds * 1000)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const start = performance.now()
    await this.#compare()
    if (this.#readers.size > 0 && !this.hasEnded) {
      // The second check decides whether the store is lost.
      this.#schedule(this.#failures > 0 ? this.#limits.lookSeconds : this.#restAfter(start))
    }
  }

  /** The pause in seconds after a check that began at `start`. */
  #restAfter(start: number): number {
    const rest = Math.min(longestRestSeconds, ((performance.now() - start) / 1000) * restPerLook)
    return Math.max(this.#limits.lookSeconds, rest)
  }

  async #compare(): Promise<void> {
    try {
      const state = await withinSeconds(mostSeconds, this.#read())
      if (this.isLost) {
        this.#trustedAt = performance.now() + this.#limits.reportSeconds * 1000
      }
      this.#failures = 0
      if (state !== this.#state) {
        this.#state = state
        this.#count += 1
        this.#tell()
      }
    } catch (error) {
      this.#failures += 1
      this.#lostBy = problemOf(error, () => {}).code === 'busy' ? 'busy' : 'store_unavailable'
      if (this.isLost) {
        this.#tell()
      }
    }
  }

  async #read(): Promise<string> {
    const since = new Date(Date.now() - windowMilliseconds)
    const [statistics, [newest], circuits, workers] = await Promise.all([
      this.#receiver.statistics({ since, buckets: 1 }),
      this.#receiver.audits({ limit: 1 }),
      this.#receiver.openCircuits(),
      // A process that died changes no event.
      this.#receiver.workers(),
    ])
    const { accepted, failed, dead, quarantined, lastReceivedAt } = statistics
    const running = workers.map((worker) => [worker.id, isLate(worker)])
    return JSON.stringify([
      accepted,
      failed,
      dead,
      quarantined,
      lastReceivedAt,
      newest?.id,
      circuits,
      running,
      this.mayMissReports,
    ])
  }
}

/** What to call for each signal. One listener for all: of more than ten on one signal Node warns. */
const calls = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls `end` when the program stops. Returns a function that ends this. */
function beforeStop(stopping: AbortSignal, end: () => void): () => void {
  const known = calls.get(stopping)
  const all = known ?? new Set()
  if (!known) {
    calls.set(stopping, all)
    const endAll = () => {
      for (const each of all) {
        each()
      }
    }
    stopping.addEventListener('abort', endAll, { once: true })
  }
  all.add(end)
  return () => all.delete(end)
}
