import type { Receiver } from 'webhook-inbox'
import { ifSupported } from './if-supported.js'
import type { Feature } from './wire.js'
import { withinSeconds } from './within-seconds.js'

/** How long the page waits at most. The store may not respond now. */
const mostSeconds = 1

/** A small read of each part of a store. */
const reads: Readonly<Record<Feature, (receiver: Receiver) => Promise<unknown>>> = {
  audits: (receiver) => receiver.audits({ limit: 1 }),
  bulk: (receiver) => receiver.runs({ limit: 1 }),
  failures: (receiver) => receiver.failures({ limit: 1 }),
  flow: (receiver) => receiver.openCircuits(),
  statistics: (receiver) => receiver.sources(),
}

const names = Object.keys(reads) as Feature[]

/** Resolves to the parts that the store of a receiver has. Asks the store once. A part whose read fails otherwise counts as there. */
export function featuresOf(receiver: Receiver): () => Promise<readonly Feature[]> {
  const known = new Map<Feature, boolean>()

  async function has(name: Feature): Promise<boolean> {
    try {
      const found = await withinSeconds(
        mostSeconds,
        ifSupported(async () => [await reads[name](receiver)]),
      )
      known.set(name, found !== undefined)
    } catch {
      // The store does not respond now, so it is not known.
    }
    return known.get(name) ?? true
  }

  return async () => {
    const found = await Promise.all(names.map((name) => known.get(name) ?? has(name)))
    return names.filter((_, at) => found[at])
  }
}
