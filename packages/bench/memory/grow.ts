import { randomBytes } from 'node:crypto'
import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { memoryLeases } from '../../../src/stores/memory.js'
import { quantile } from '../harness/compare.js'
import { mapLeases } from './map-leases.js'

/** The measurement of one contender. */
export interface Grown {
  /** Processor time of one claim and its completion, in nanoseconds, in the last tenth of the growth. */
  readonly filling: number
  /** The same once the store is full and evicts one id for each new one. */
  readonly full: number
  /** Bytes per id, by the resident memory of the process. */
  readonly residentBytes: number
  /** Bytes per id, by V8's heap after a collection. */
  readonly heapBytes: number
  /** Longest time between two operations, in milliseconds of processor time, garbage collection included. */
  readonly longestOperation: number
  readonly longestCollection: number
  /** Fraction of the time spent growing. */
  readonly collecting: number
}

/** Ids are created in batches of this size, outside the measured time. */
const batch = 1000

const contenders = {
  memoryStore: (size: number) => memoryLeases({ maxEvents: size }),
  'Map of objects': mapLeases,
  /** Measures the loop and its promises alone, and the memory that the ids themselves need. */
  'empty loop': () => ({
    claim: async (_key: string, _seconds: number) => ({ state: 'claimed' as const, token: '1', attempt: 1 }),
    complete: async (_key: string, _token: string, _hash: string, _seconds: number) => true,
  }),
}

const [name, size] = [process.argv[2] as keyof typeof contenders, Number(process.argv[3])]
console.log(JSON.stringify(await grow(name, size)))

async function grow(name: keyof typeof contenders, size: number): Promise<Grown> {
  const collections: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      collections.push(duration)
    }
  })

  // Warm up, so that the code and the young heap do not count as memory of the ids.
  const warm = contenders[name](batch)
  for (let n = 0; n < 200; n++) {
    await fill(warm, idsOf(batch))
  }

  const before = settled()
  observer.observe({ entryTypes: ['gc'] })
  const leases = contenders[name](size)
  let longestOperation = 0
  const startedAt = performance.now()
  const onTheWay: number[] = []
  for (let n = 0; n < size; n += batch) {
    const { nanoseconds, longest } = await fill(leases, idsOf(batch))
    longestOperation = Math.max(longestOperation, longest)
    if (n >= 0.9 * size) {
      onTheWay.push(nanoseconds)
    }
    await turn()
  }
  const took = performance.now() - startedAt
  const collecting = collections.reduce((sum, each) => sum + each, 0) / took
  const longestCollection = Math.max(0, ...collections)
  observer.disconnect()
  const after = settled()

  const full: number[] = []
  for (let n = 0; n < 1000; n++) {
    full.push((await fill(leases, idsOf(batch))).nanoseconds)
  }
  return {
    filling: quantile(onTheWay, 0.5),
    full: quantile(full, 0.5),
    residentBytes: (after.rss - before.rss) / size,
    heapBytes: (after.heapUsed + after.external - before.heapUsed - before.external) / size,
    longestOperation,
    longestCollection,
    collecting,
  }
}

type Leases = ReturnType<(typeof contenders)[typeof name]>

async function fill(leases: Leases, ids: readonly string[]) {
  let longest = 0
  const start = process.cpuUsage()
  let last = performance.now()
  for (const id of ids) {
    const claim = await leases.claim(id, 60)
    if (claim.state !== 'claimed' || !(await leases.complete(id, claim.token, id, 7_776_000))) {
      throw new Error(`${id} is ${claim.state}`)
    }
    const now = performance.now()
    if (now - last > longest) {
      longest = now - last
    }
    last = now
  }
  const { user, system } = process.cpuUsage(start)
  // Another process can delay an operation, but it adds no processor time to this process.
  return {
    longest: Math.min(longest, (user + system) / 1000),
    nanoseconds: ((user + system) * 1000) / ids.length,
  }
}

function idsOf(count: number): string[] {
  const bytes = randomBytes(32 * count)
  return Array.from({ length: count }, (_, n) => bytes.toString('hex', 32 * n, 32 * n + 32))
}

function settled(): NodeJS.MemoryUsage {
  for (let n = 0; n < 4; n++) {
    globalThis.gc?.()
  }
  return process.memoryUsage()
}
