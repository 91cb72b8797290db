// Imports what its argument names, or nothing, and tells what the process has spent by then.
import { spent } from './spent.mjs'

const [, , specifier] = process.argv
const startedAt = performance.now()
if (specifier) {
  await import(specifier)
}
const imported = performance.now() - startedAt
process.stdout.write(JSON.stringify({ ...spent(), imported }))
