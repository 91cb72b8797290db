import { parseArgs } from 'node:util'
import { runMix } from './mix.js'
import { type ModeName, modeNames } from './modes.js'
import { openWorld } from './world.js'

/**
 * `npm run chaos -- --seed N --seconds S [--mode 'postgres inline']` runs random faults, S seconds for each mode. Exits
 * with 1 if an invariant is violated, and prints it with its evidence.
 */

/** Three of each role: one dies, one starts, and one works. */
const fleetSize = 3

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string' },
    mode: { type: 'string', multiple: true },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const seconds = Number(values.seconds ?? 60)
const chosen = (values.mode ?? modeNames) as ModeName[]
if (!Number.isFinite(seed) || !(seconds > 0) || !chosen.every((name) => modeNames.includes(name))) {
  console.error(`usage: npm run chaos -- --seed N --seconds S --mode "${modeNames.join('" | "')}"`)
  process.exit(2)
}

console.log(`chaos: seed ${seed}, ${seconds} s of each of ${chosen.length} modes`)
let isBroken = false
for (const mode of chosen) {
  const world = await openWorld({ mode, seed, size: fleetSize })
  try {
    const { broken, strikes, ...counts } = await runMix(world, seconds)
    console.log(`\n${mode}: ${broken.length === 0 ? 'every invariant holds' : 'BROKEN'}`)
    console.log(`  ${JSON.stringify(counts)}`)
    console.log(`  ${JSON.stringify(strikes)}`)
    for (const each of broken) {
      console.log(`  broken: ${each}`)
    }
    if (broken.length > 0) {
      isBroken = true
      for (const { role, log } of world.members) {
        console.log(`  log of a ${role}: ...${log.slice(-3000)}`)
      }
    }
  } finally {
    await world.close()
  }
}
console.log(`\nchaos: ${isBroken ? 'broken' : 'clean'}, seed ${seed}`)
process.exit(isBroken ? 1 : 0)
