/**
 * `npm run chaos:faults -- [NAME ...] [--seed N]` runs the faults of docs/proof.md, one after the other, and prints what was
 * seen. Exits with 1 if a promise is broken.
 */
import { parseArgs } from 'node:util'
import { postgresFailovers } from './postgres-failover.js'

const faults = [...postgresFailovers]
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
  const count = (kind: string) => broken.filter((line) => line.startsWith(kind)).length
  const losses = { lost: count('lost'), repeated: count('repeated'), other: broken.length }
  losses.other -= losses.lost + losses.repeated
  console.log(`${name}: ${JSON.stringify({ ...losses, ...seen.counts, ...figures })}`)
  for (const line of broken.slice(0, 5)) {
    console.log(`  ${line}`)
  }
  if (losses.other > 0 || (isKept && broken.length > 0)) {
    process.exitCode = 1
  }
}
process.exit()
