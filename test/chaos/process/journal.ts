import { closeSync, openSync, writeSync } from 'node:fs'
import type { JournalLine } from '../modes.js'

/** What handlers do, written before they go on: it is there even where the process is killed in the next instant. */
export class Journal {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'a')
  }

  write(line: Omit<JournalLine, 'pid' | 'at'>): void {
    const at = String(process.hrtime.bigint())
    // One short write in append mode is never torn by another process.
    writeSync(this.#file, `${JSON.stringify({ ...line, pid: process.pid, at })}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}
