/**
 * `npm run chaos:faults -- [NAME ...] [--seed N]` runs the faults of docs/proof.md, one after the other, and prints what was
 * seen. Exits with 1 if a promise is broken.
 */
import { parseArgs } from 'node:util'
import { clockDrifts } from './clock-drift.js'
import { memoryLimits } from './memory.js'
import { postgresFailovers } from './postgres-failover.js'
import { redisFailovers } from './redis-failover.js'

const faults = [...postgresFailovers, ...redisFailovers, ...clockDrifts, ...memoryLimits]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1011' } },
})
const chosen = faults.filter(
  ({ name }) => positionals.length === 0 || positionals.some((each) => name.startsWith(each)),
)
if (chosen.length === 0) {
  console.error(`no fault of that name; there are ${faults.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

for (const { name, isKept, run } of chosen) {
  const seen = await run(Number(values.seed))
  if ('skipped' in seen) {
    console.log(`${name}: skipped, because ${seen.skipped}`)
    continue
  }
  const { broken, ...figures } = seen.report
  const kinds = { lost: 0, repeated: 0, seenAgain: 0, other: 0 }
  for (const line of broken) {
    kinds[kindOf(line)]++
  }
  console.log(`${name}: ${JSON.stringify({ ...kinds, ...seen.counts, ...figures })}`)
  for (const line of broken.slice(0, 5)) {
    console.log(`  ${line}`)
  }
  if (kinds.other > 0 || (isKept && broken.length > 0)) {
    process.exitCode = 1
  }
}
process.exit()

/** The journal and the sender see a second effect too. It counts once. */
function kindOf(line: string): 'lost' | 'repeated' | 'seenAgain' | 'other' {
  if (line.startsWith('lost')) {
    return 'lost'
  }
  if (line.startsWith('repeated')) {
    return 'repeated'
  }
  return /^entered twice|after it had been acknowledged$/.test(line) ? 'seenAgain' : 'other'
}
