/**
 * Limits of a search for due events while something is held back. A store searches each type separately, so it never reads the
 * many events of a paused type. A sender can send any number of types. So if more than {@link mostLanes} types wait, it reads
 * the {@link mostOldest} oldest events of all types. If most of these are held back too, it also searches the next
 * {@link mostLanes} types, and continues after them the next time. So no type waits forever.
 */
export const mostLanes = 50
export const mostOldest = 500

/**
 * If an event was scheduled more than this many seconds from now, the clock was ahead then. Its time is not to be trusted, so it
 * is due. With less, another process may have scheduled it since the search began.
 */
export const clockMarginSeconds = 10

/** A type of an endpoint. */
export interface Lane {
  readonly endpoint: string
  readonly type: string
}

/** Sorts before every lane. */
export const firstLane: Lane = { endpoint: '', type: '' }

/** For each endpoint, the lane with which the next search begins. */
export class Turns {
  readonly #next = new Map<string | undefined, Lane>()

  of(endpoint: string | undefined): Lane {
    return this.#next.get(endpoint) ?? firstLane
  }

  continueAfter(endpoint: string | undefined, lane: Lane | undefined): void {
    this.#next.set(endpoint, lane ?? firstLane)
  }
}

/** The rows of both lists, each once, up to the limit. */
export function joined<Row>(
  first: readonly Row[],
  second: readonly Row[],
  keyOf: (row: Row) => string,
  limit: number,
): Row[] {
  const known = new Set(first.map(keyOf))
  return [...first, ...second.filter((row) => !known.has(keyOf(row)))].slice(0, limit)
}
