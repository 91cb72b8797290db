/**
 * The memory store beside a Map of objects with the same duties, as the ids that they remember grow to ten million: what
 * a claim and its completion take, what an id takes, and how long the program stands still for it. The empty loop tells
 * what of all that is the program’s own: some 10 MB of young heap, which are 10 bytes an id at a million.
 *
 *     npm run bench -- memory
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

/** A process for each, so that none inherits another’s heap. */
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
