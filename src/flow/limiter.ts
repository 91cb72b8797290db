import type { Limited } from '../store/flow-store.js'
import { Gauge, type Limit } from './gauge.js'

export type { Limit } from './gauge.js'

/** How many events run in one process. Each process counts separately. */
export interface Limits {
  /** By event type. */
  readonly byType?: Readonly<Record<string, Limit>> | undefined
  /** For each resource. */
  readonly perResource?: Limit | undefined
}

/** A free slot that an event has taken. It calls one of both when it ends: `giveBack` if it did not start. */
export type Place = { readonly leave: () => void; readonly giveBack: () => void }

/** How long an event without a slot should wait, and whether `limited` names its type or resource. */
export type NoPlace = { readonly retryAfterSeconds: number; readonly isNamed: boolean }

/** How many resources `limited` names: each search for due events is given all of them. */
const mostNamed = 10_000

/** How many names are looked at to find room for another one. */
const mostForgotten = 10

/** How many gauges of resources are kept before idle ones are forgotten the first time. */
const mostIdle = 1000

/** Holds events back while their type or resource is at its limit. */
export class Limiter {
  readonly #types: ReadonlyMap<string, Gauge>
  readonly #perResource: Limit | undefined
  readonly #resources = new Map<string, Gauge>()
  /** Resources whose event found no free slot. A search must leave out only their events. */
  readonly #missed = new Set<string>()
  #sweepAt = mostIdle

  constructor({ byType = {}, perResource }: Limits) {
    this.#types = new Map(Object.entries(byType).map(([type, limit]) => [type, new Gauge(limit)]))
    this.#perResource = perResource
  }

  enter(type: string, resource: string | undefined): Place | NoPlace {
    const gauges = [this.#types.get(type), this.#gaugeOf(resource)].filter((gauge) => gauge !== undefined)
    const full = gauges.find((gauge) => !gauge.isFree())
    if (full) {
      const isOfResource = resource !== undefined && full === this.#resources.get(resource)
      const isNamed = !isOfResource || this.#miss(resource)
      return { retryAfterSeconds: full.nextSlot(), isNamed }
    }
    if (resource !== undefined) {
      this.#missed.delete(resource)
    }
    const startedAt = performance.now()
    for (const gauge of gauges) {
      gauge.enter()
    }
    return {
      leave: () => {
        for (const gauge of gauges) {
          gauge.leave((performance.now() - startedAt) / 1000)
        }
      },
      giveBack: () => {
        for (const gauge of gauges) {
          gauge.giveBack()
        }
      },
    }
  }

  /**
   * The types at their limit, the resources whose events found no free slot, and when to search again. `wakeAfterSeconds` is 0
   * if only the end of a run can free a slot. Resources without waiting events are not named, because a sender can send any
   * number of resources.
   */
  limited(): Limited & { readonly wakeAfterSeconds: number } {
    const full = (gauges: Iterable<readonly [string, Gauge]>) =>
      [...gauges].filter(([, gauge]) => !gauge.isFree())
    // A resource is missed only while its gauge is kept.
    const missed = [...this.#missed].map((name) => [name, this.#resources.get(name) as Gauge] as const)
    const [types, resources] = [full(this.#types), full(missed)]
    const waits = [...types, ...resources]
      .map(([, gauge]) => gauge.freeAfterSeconds())
      .filter((wait) => wait > 0)
    return {
      types: types.map(([type]) => type),
      resources: resources.map(([resource]) => resource),
      wakeAfterSeconds: waits.length > 0 ? Math.min(...waits) : 0,
    }
  }

  /** Whether a resource is at its limit, even if none of its events waits. */
  isFull(resource: string): boolean {
    return this.#resources.get(resource)?.isFree() === false
  }

  /** Records that an event of a resource waits. Returns false if the list is full. */
  #miss(resource: string): boolean {
    if (this.#missed.size >= mostNamed && !this.#missed.has(resource)) {
      this.#forgetFree()
    }
    const isNamed = this.#missed.size < mostNamed || this.#missed.has(resource)
    if (isNamed) {
      this.#missed.add(resource)
    }
    return isNamed
  }

  /** Looks at a few names only. Those that stay go to the end, so that the next call looks at others. */
  #forgetFree(): void {
    for (let i = 0; i < mostForgotten; i++) {
      const [name] = this.#missed
      if (name === undefined) {
        return
      }
      this.#missed.delete(name)
      if (this.isFull(name)) {
        this.#missed.add(name)
      }
    }
  }

  #gaugeOf(resource: string | undefined): Gauge | undefined {
    if (resource === undefined || !this.#perResource) {
      return undefined
    }
    const known = this.#resources.get(resource)
    if (known) {
      return known
    }
    if (this.#resources.size >= this.#sweepAt) {
      for (const [name, gauge] of this.#resources) {
        if (gauge.isIdle()) {
          this.#resources.delete(name)
          this.#missed.delete(name)
        }
      }
      // If a sweep deletes only a few gauges, the next event must not start another sweep.
      this.#sweepAt = Math.max(mostIdle, 2 * this.#resources.size)
    }
    const gauge = new Gauge(this.#perResource)
    this.#resources.set(resource, gauge)
    return gauge
  }
}
