import type { Pipeline } from '../options/settings.js'

/** What identifies the receiver that takes the events of an endpoint, and what it does with them. */
export type EndpointUse = Pick<Pipeline, 'store' | 'endpoint' | 'handlers' | 'fallback'>

interface Uses {
  /** The first receiver that has not stopped. The others are not kept, because a program may build one for each request. */
  first: EndpointUse | undefined
  hasWarned: boolean
}

const usesByStore = new WeakMap<object, Map<string, Uses>>()

/**
 * Notes that a receiver takes events. Returns a warning if another receiver of this process already takes them, once for
 * each store and endpoint. Receivers with the same functions are replicas of each other, so they do not matter.
 */
export function noteUse(use: EndpointUse): string | undefined {
  const endpoints = usesByStore.get(use.store) ?? new Map<string, Uses>()
  usesByStore.set(use.store, endpoints)
  const uses = endpoints.get(use.endpoint) ?? { first: undefined, hasWarned: false }
  endpoints.set(use.endpoint, uses)
  uses.first ??= use
  if (uses.hasWarned || hasSameFunctions(uses.first, use)) {
    return
  }
  uses.hasWarned = true
  return (
    `another receiver of this process uses this store and the endpoint '${use.endpoint}': each event runs in only one of ` +
    'them, and the other answers duplicate; fix: give each its own endpoint, or stop() the one that you replace'
  )
}

/** Notes that a receiver has stopped, such as before a hot reload. */
export function endUse(use: EndpointUse): void {
  const uses = usesByStore.get(use.store)?.get(use.endpoint)
  if (uses?.first === use) {
    uses.first = undefined
  }
}

function hasSameFunctions(one: EndpointUse, other: EndpointUse): boolean {
  const isNamed = Boolean(one.handlers ?? one.fallback)
  return one === other || (isNamed && one.handlers === other.handlers && one.fallback === other.fallback)
}
