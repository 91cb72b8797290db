import { existsSync } from 'node:fs'
import { runMix } from '../mix.js'
import type { ModeName } from '../modes.js'
import { openWorld } from '../world.js'
import type { Fault, Seen, Skipped } from './fault.js'

/** Where Debian's package libfaketime puts it. */
const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

/** How fast the clocks of the four processes run, the wall clock and the monotonic clock. */
const rates = [1.1, 0.9, 1.02, 1]

/** Random faults for ten seconds, among processes whose clocks drift apart. */
const drift =
  (mode: ModeName) =>
  async (seed: number): Promise<Seen | Skipped> => {
    if (!existsSync(library)) {
      return { skipped: `${library} is missing; install libfaketime` }
    }
    const fleet = rates.map((rate) => ({
      role: 'both' as const,
      environment: { LD_PRELOAD: library, FAKETIME: `+0 x${rate}` },
    }))
    const world = await openWorld({ mode, seed, fleet })
    try {
      const { deaths, ...report } = await runMix(world, 10)
      return { report, counts: { deaths } }
    } finally {
      await world.close()
    }
  }

export const clockDrifts: readonly Fault[] = [
  { name: 'clock-drift-sqlite', isKept: true, run: drift('sqlite + local') },
  { name: 'clock-drift-postgres', isKept: true, run: drift('postgres + local') },
  { name: 'clock-drift-redis', isKept: true, run: drift('redis inline') },
]
