import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Outcome } from './call-fault.js'
import { type FaultRow, faultRows } from './fault-rows.js'
import { inboxLaws, runInboxLaw } from './inbox-fault.js'

/**
 * Somebody who writes an inbox relies on the suite to find these faults, each with the law that forbids it. The inbox is right, but
 * for one thing in one call. `inbox-faults` has a file for each file of laws.
 */

const folder = join(import.meta.dirname, 'inbox-faults')
const files = readdirSync(folder).map((name) => [
  name.replace('.txt', ''),
  Object.entries(faultRows(readFileSync(join(folder, name), 'utf8'))),
]) as [string, [string, FaultRow[]][]][]

/** Some faults show only if two moments differ, such as the order of two events. So a law has three tries. */
async function isFound(law: string, { says, ...fault }: FaultRow, right: ReadonlyMap<string, Outcome>) {
  for (let tries = 0; tries < 3; tries++) {
    try {
      await runInboxLaw(law, { fault, right })
    } catch (error) {
      if ((error as Error).message.includes(says)) {
        return true
      }
    }
  }
  return false
}

/** What a law does not find. */
async function unfoundOf(law: string, rows: readonly FaultRow[]): Promise<string[]> {
  const right = new Map<string, Outcome>()
  const startedAt = performance.now()
  await runInboxLaw(law, { note: (call, _, outcome) => right.set(call, outcome) })
  const took = performance.now() - startedAt
  const unfound: string[] = []
  const left = [...rows]
  const runNext = async () => {
    for (let row = left.shift(); row && unfound.length === 0; row = left.shift()) {
      if (!(await isFound(law, row, right))) {
        unfound.push(`${row.call} => ${row.change}`)
      }
    }
  }
  // A law that takes long mostly waits.
  await Promise.all(Array.from({ length: took > 200 ? 20 : 1 }, runNext))
  return unfound
}

describe.each(files)('of the faults in %s', (_, laws) => {
  it.each(laws)('this law finds its own: %s', async (law, rows) => {
    expect(await unfoundOf(law, rows)).toEqual([])
  })
})

it('has faults for the laws of inboxes', () => {
  const names = files.flatMap(([, laws]) => laws.map(([law]) => law))
  expect(names.filter((name) => !inboxLaws().includes(name))).toEqual([])
})
