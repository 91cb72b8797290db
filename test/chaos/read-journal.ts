import { existsSync, readFileSync } from 'node:fs'
import type { JournalLine } from './modes.js'

/** What the handlers of all processes have noted so far, in the order in which they did. */
export function readJournal(path: string): JournalLine[] {
  if (!existsSync(path)) {
    return []
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  // A line that is just being written is left for the next time.
  return lines.slice(0, -1).map((line) => JSON.parse(line))
}
