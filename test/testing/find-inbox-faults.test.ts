import { it } from 'vitest'
import type { Outcome } from './call-fault.js'
import { inboxLaws, runInboxLaw } from './inbox-fault.js'
import { faultsOf } from './value-fault.js'

/**
 * Prints every fault that the laws with this text in their name find, as rows for `inbox-faults`:
 *
 * FIND_FAULTS='an empty body' npx vitest run test/testing/find-inbox-faults.test.ts
 */
const text = process.env.FIND_FAULTS

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

it.runIf(text)('finds the faults', { timeout: 3_600_000 }, async () => {
  for (const law of inboxLaws().filter((name) => name.includes(text ?? ''))) {
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
})
