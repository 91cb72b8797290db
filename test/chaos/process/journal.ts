import { openSync, writeSync } from 'node:fs'
import type { JournalLine } from '../modes.js'
import { readJournal } from '../read-journal.js'

/** What handlers do, written before they go on: it is there even where the process is killed in the next instant. */
export class Journal {
  readonly #path: string
  readonly #file: number

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'a')
  }

  write(line: Omit<JournalLine, 'pid' | 'at'>): void {
    const at = String(process.hrtime.bigint())
    // One short write in append mode is never torn by another process.
    writeSync(this.#file, `${JSON.stringify({ ...line, pid: process.pid, at })}\n`)
  }

  /** How often any process has begun to handle an event. */
  entries(id: string): number {
    return readJournal(this.#path).filter((line) => line.what === 'entered' && line.id === id).length
  }
}
