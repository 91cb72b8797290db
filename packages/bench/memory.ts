/**
 * Compares the memory store with a Map of objects as both grow to ten million ids. Measures the time of a claim and its
 * completion, the memory per id, and the longest pause. The empty loop shows the share of the program itself: about 10 MB
 * of young heap, which is 10 bytes per id at a million.
 *
 * `npm run bench -- memory` runs it.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { table, title } from './harness/table.js'
import type { Grown } from './memory/grow.js'

const sizes = [10_000, 1_000_000, 10_000_000]

title('The memory store: time, memory and pauses')

const rows = sizes.flatMap((size) =>
  ['empty loop', 'memoryStore', 'Map of objects'].map((contender) => [size, ...row(contender, size)]),
)
table(
  [
    'ids',
    'store',
    'claim + complete, filling',
    'full',
    'bytes an id, resident',
    'heap and external',
    'longest operation',
    'longest collection',
    'collecting',
  ],
  rows,
)

/** Runs each in its own process, so that none inherits another's heap. */
function row(contender: string, size: number): (string | number)[] {
  const program = fileURLToPath(new URL('memory/grow.ts', import.meta.url))
  const flags = ['--expose-gc', '--max-old-space-size=12000', '--import', 'tsx']
  const output = execFileSync(process.execPath, [...flags, program, contender, String(size)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const grown = JSON.parse(output.toString()) as Grown
  return [
    contender,
    `${grown.filling.toFixed(0)} ns`,
    `${grown.full.toFixed(0)} ns`,
    grown.residentBytes.toFixed(1),
    grown.heapBytes.toFixed(1),
    `${grown.longestOperation.toFixed(1)} ms`,
    `${grown.longestCollection.toFixed(1)} ms`,
    `${(100 * grown.collecting).toFixed(1)} %`,
  ]
}
