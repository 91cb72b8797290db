import { check } from '../checker.js'
import { noMemoryGroups } from '../memory-group.js'
import { openWorld } from '../world.js'
import type { Fault, Seen } from './fault.js'

/** The heap of a process, in MB. A process needs about 15 when it is idle, and an event of the test about 5. */
const heap = 32

/** The memory that the kernel allows a process. 80 MB are enough for all bodies, so that no process dies. */
const memoryBytes = 60_000_000

/** Many large bodies together exceed the memory of the processes, and V8 or the kernel ends them. */
async function exhaust(seed: number, limit: { flags: string[] } | { memoryBytes: number }): Promise<Seen> {
  const fleet = [1, 2].map(() => ({ role: 'both' as const, ...limit }))
  const settings = { leaseSeconds: 5, handlerTimeoutSeconds: 4 }
  const world = await openWorld({ mode: 'postgres + local', seed, fleet, settings })
  world.sender.patienceMs = 10_000
  try {
    const large = Array.from({ length: 14 }, (_, i) => {
      const id = `evt_large_${seed}_${i}`
      const parts = Array.from({ length: 50_000 }, (__, part) => ({ part }))
      const data = { behavior: 'fine', workMs: 1000, parts }
      const body = { id, type: 'payment.arrived', createdAt: new Date().toISOString(), data }
      return world.sender.poison(JSON.stringify(body), 'effect', id)
    })
    await world.sender.sendAll(await Promise.all(large), { atOnce: 14, seconds: 60 })
    const report = await check(world, { mayDie: true, seconds: 90 })
    // The processes end by design here.
    const broken = report.broken.filter((line) => !/^a both ended with/.test(line))
    const deaths = world.members.reduce((sum, each) => sum + each.deaths, 0)
    return { report: { ...report, broken }, counts: { deaths } }
  } finally {
    await world.close()
  }
}

export const memoryLimits: readonly Fault[] = [
  {
    name: 'memory-limit',
    isKept: true,
    run: (seed) => exhaust(seed, { flags: [`--max-old-space-size=${heap}`] }),
  },
  {
    name: 'memory-cgroup',
    isKept: true,
    async run(seed) {
      const skipped = noMemoryGroups()
      return skipped ? { skipped } : exhaust(seed, { memoryBytes })
    },
  },
]
