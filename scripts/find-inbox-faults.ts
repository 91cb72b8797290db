import type { Outcome } from '../test/testing/call-fault.js'
import { inboxLaws, runInboxLaw } from '../test/testing/inbox-fault.js'
import { faultsOf } from '../test/testing/value-fault.js'

/**
 * `npx tsx scripts/find-inbox-faults.ts 'an empty body'` prints every fault that the laws with this text in their name find, as rows
 * for `test/testing/inbox-faults`. Run it after a change of a law, and put its rows in the place of the old ones. What a law says,
 * after a `|`, is added by hand.
 */
const [text] = process.argv.slice(2)
if (text === undefined) {
  console.error("usage: npx tsx scripts/find-inbox-faults.ts 'a part of the name of a law'")
  process.exit(2)
}

/** How an argument can be ignored, or taken for another one. Events and what is new in every run are left out. */
function givenFaults(value: unknown, place: number): string[] {
  const isFresh = typeof value === 'string' && /[0-9a-f]{32}/.test(value)
  if (
    isFresh ||
    typeof value === 'function' ||
    (typeof value === 'object' && value && 'durations' in value)
  ) {
    return []
  }
  return faultsOf(value, [String(place)]).map((fault) => `given ${fault}`)
}

function changesOf(args: readonly unknown[], outcome: Outcome): string[] {
  const isResolved = outcome.kind === 'resolved'
  return [
    'skipped',
    ...(isResolved ? faultsOf(outcome.value) : ['resolves', 'replaces', 'applies']),
    ...(args.some((each) => typeof each === 'function') ? ['uncalled', 'recalled'] : []),
    ...args.flatMap(givenFaults),
  ]
}

for (const law of inboxLaws().filter((name) => name.includes(text))) {
  console.log(law)
  const right = new Map<string, Outcome>()
  const changes = new Map<string, string[]>()
  await runInboxLaw(law, {
    note(call, args, outcome) {
      right.set(call, outcome)
      changes.set(call, changesOf(args, outcome))
    },
  })
  for (const [call, all] of changes) {
    const found: string[] = []
    for (const change of all) {
      await runInboxLaw(law, { fault: { call, change }, right, mostMs: 3000 }).catch((error) => {
        // The inbox itself rejects an argument that it cannot take.
        if (error.code !== 'invalid_option') {
          found.push(change)
        }
      })
    }
    if (found.length > 0) {
      console.log(`  ${call} => ${found.join(', ')}`)
    }
  }
}
