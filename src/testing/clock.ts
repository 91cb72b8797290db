import { invalidOption } from '../errors.js'

/** A clock that moves only on request. Pass its `now` to a receiver, to `memoryStore` and to `testSender`. */
export interface ManualClock {
  /** The time in unix seconds. Needs no `this`: pass it as `now: clock.now`. */
  readonly now: () => number
  /** Moves the clock by this many seconds. Fractions and negative values are allowed. */
  advance(seconds: number): void
  /** Sets the time, in unix seconds. */
  set(unixSeconds: number): void
}

/** A fixed time, so that a test that sets no time is the same on every run. */
const defaultStart = 1_700_000_000

/**
 * Creates a clock that stands at `start`, in unix seconds. Default 1 700 000 000. Throws `ConfigurationError`
 * `invalid_option` for an invalid time.
 *
 * @example
 * const clock = manualClock()
 * const receiver = createReceiver({ secret, store: memoryStore({ now: clock.now }), handlers, now: clock.now })
 * clock.advance(301)
 */
export function manualClock(start = defaultStart): ManualClock {
  let time = checked(start)
  return {
    now: () => time,
    advance(seconds) {
      time = checked(time + checked(seconds))
    },
    set(unixSeconds) {
      time = checked(unixSeconds)
    },
  }
}

/** Rejects NaN early: later it would look like a stale delivery. */
function checked(seconds: number): number {
  if (Number.isFinite(seconds)) {
    return seconds
  }
  throw invalidOption('manualClock takes a finite number of seconds')
}
