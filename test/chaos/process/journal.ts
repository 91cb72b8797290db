import { openSync, writeSync } from 'node:fs'
import type { JournalLine } from '../modes.js'
import { readJournal } from '../read-journal.js'

/** A journal of the handlers. Each line is written synchronously, so it survives a kill right afterwards. */
export class Journal {
  readonly #path: string
  readonly #file: number

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'a')
  }

  write(line: Omit<JournalLine, 'pid' | 'at'>): void {
    const at = String(process.hrtime.bigint())
    // A short write in append mode is atomic between processes.
    writeSync(this.#file, `${JSON.stringify({ ...line, pid: process.pid, at })}\n`)
  }

  /** Returns how often any process has entered the handler of an event. */
  entries(id: string): number {
    return readJournal(this.#path).filter((line) => line.what === 'entered' && line.id === id).length
  }
}
