import { existsSync, readFileSync } from 'node:fs'
import type { JournalLine } from './modes.js'

/** Reads the journal of all processes, in order. */
export function readJournal(path: string): JournalLine[] {
  if (!existsSync(path)) {
    return []
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  // An incomplete last line is left for the next read.
  return lines.slice(0, -1).map((line) => JSON.parse(line))
}
