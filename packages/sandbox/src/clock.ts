/** The time by which the sandbox settles transfers, retries deliveries and stamps events. */
export interface Clock {
  /** Unix milliseconds by the sandbox's clock. */
  now(): number
  /**
   * Calls `run` once when the clock reaches `time` (unix milliseconds), or soon if that time has passed. Returns a function
   * that cancels the call. Calls happen in the order of their times. `run` must handle its own errors.
   */
  at(time: number, run: () => unknown): () => void
  /** Makes `advance` wait for `work` before it moves the clock. The caller must handle a rejection of `work`. */
  hold(work: Promise<unknown>): void
  /**
   * Moves the clock forward by `seconds`. Stops at each call that falls due and waits for it, and for all work that is
   * held, before it continues. Calls of `advance` run one after another. Rejects with `RangeError` for an unusable number.
   */
  advance(seconds: number): Promise<void>
}

export interface ClockOptions {
  /** Where the clock starts, in unix milliseconds. Default: the system clock. */
  readonly startAt?: number
}

/** A clock that runs with the system clock. It is ahead by the time that was advanced. */
export function realClock({ startAt = Date.now() }: ClockOptions = {}): Clock {
  const lead = startAt - Date.now()
  return new SteppingClock((ahead) => Date.now() + lead + ahead, { runs: true })
}

/** A clock whose time changes only with `advance`. */
export function virtualClock({ startAt = Date.now() }: ClockOptions = {}): Clock {
  return new SteppingClock((ahead) => startAt + ahead, { runs: false })
}

interface Call {
  readonly time: number
  readonly run: () => unknown
}

/** `setTimeout` treats a longer delay as zero. */
const longestDelay = 2 ** 31 - 1
/** The last millisecond that a `Date` can represent. */
const endOfTime = 8.64e15

class SteppingClock implements Clock {
  readonly #read: (ahead: number) => number
  readonly #runs: boolean
  /** Sorted by time. Equal times are in the order of the calls. */
  readonly #calls: Call[] = []
  readonly #held = new Set<Promise<unknown>>()
  #ahead = 0
  #timer: NodeJS.Timeout | undefined
  #advancing: Promise<void> = Promise.resolve()

  constructor(read: (ahead: number) => number, { runs }: { readonly runs: boolean }) {
    this.#read = read
    this.#runs = runs
  }

  now(): number {
    return Math.floor(this.#read(this.#ahead))
  }

  at(time: number, run: () => unknown): () => void {
    const call: Call = { time, run }
    let place = this.#calls.length
    while (place > 0 && (this.#calls[place - 1] as Call).time > time) {
      place--
    }
    this.#calls.splice(place, 0, call)
    if (place === 0) {
      this.#arm()
    }
    return () => this.#cancel(call)
  }

  hold(work: Promise<unknown>): void {
    const settled = work.then(release, release)
    const held = this.#held
    held.add(settled)
    function release(): void {
      held.delete(settled)
    }
  }

  advance(seconds: number): Promise<void> {
    const isUsable = seconds >= 0 && this.now() + seconds * 1000 <= endOfTime
    if (!isUsable) {
      return Promise.reject(new RangeError('The clock advances by zero or more seconds.'))
    }
    const advanced = this.#advancing.then(() => this.#advance(seconds * 1000))
    this.#advancing = advanced.catch(() => {})
    return advanced
  }

  async #advance(milliseconds: number): Promise<void> {
    const end = this.now() + milliseconds
    for (;;) {
      while (this.#held.size > 0) {
        await Promise.all(this.#held)
      }
      const next = this.#calls[0]
      if (!next || next.time > end) {
        break
      }
      this.#moveTo(next.time)
      this.#calls.shift()
      await next.run()
    }
    this.#moveTo(end)
    this.#arm()
  }

  #moveTo(time: number): void {
    this.#ahead += Math.max(0, time - this.now())
  }

  #cancel(call: Call): void {
    const place = this.#calls.indexOf(call)
    if (place < 0) {
      return
    }
    this.#calls.splice(place, 1)
    if (place === 0) {
      this.#arm()
    }
  }

  /** Sets one timer of the process for the first call. A virtual clock needs it only for overdue calls. */
  #arm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const next = this.#calls[0]
    if (!next) {
      return
    }
    const delay = Math.max(0, next.time - this.now())
    if (delay > 0 && !this.#runs) {
      return
    }
    this.#timer = setTimeout(() => this.#runDue(), Math.min(delay, longestDelay))
  }

  #runDue(): void {
    const due: Call[] = []
    while (this.#calls[0] && this.#calls[0].time <= this.now()) {
      due.push(this.#calls.shift() as Call)
    }
    this.#arm()
    for (const { run } of due) {
      const work = run()
      if (work instanceof Promise) {
        this.hold(work)
      }
    }
  }
}
