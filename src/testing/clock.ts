/** A clock that moves only when told to; for the `now` of a receiver, of `memoryStore` and of `testSender`. */
export interface ManualClock {
  /** The time in unix seconds. Needs no `this`: pass it as `now: clock.now`. */
  readonly now: () => number
  /** Moves by so many seconds, fractions included; back where negative. */
  advance(seconds: number): void
  /** Jumps to a time, in unix seconds. */
  set(unixSeconds: number): void
}

/** A moment like any other, so that a test that fixes nothing else is still the same on every run. */
const defaultStart = 1_700_000_000

/** Stops the time at `start`, in unix seconds. Default 1 700 000 000. Throws `RangeError` for what is not a time. */
export function manualClock(start = defaultStart): ManualClock {
  let time = checked(start)
  return {
    now: () => time,
    advance(seconds) {
      time = checked(time + seconds)
    },
    set(unixSeconds) {
      time = checked(unixSeconds)
    },
  }
}

/** A NaN would be taken for a stale delivery far from here. */
function checked(unixSeconds: number): number {
  if (Number.isFinite(unixSeconds)) {
    return unixSeconds
  }
  throw new RangeError(`manualClock: ${unixSeconds} is not a time in unix seconds`)
}
