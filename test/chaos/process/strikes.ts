import type { Point, Strike } from '../modes.js'
import type { Journal } from './journal.js'

/** The pending strikes of this process. */
export class Strikes {
  readonly #armed: { readonly strike: Strike; left: number }[] = []
  readonly #journal: Journal

  constructor(journal: Journal) {
    this.#journal = journal
  }

  arm(strike: Strike): void {
    this.#armed.push({ strike, left: strike.nth ?? 1 })
  }

  /** Called at every step. Synchronous, so that no other code of this process runs before the strike. */
  reach(point: Point, id?: string): void {
    for (const [index, each] of this.#armed.entries()) {
      if (each.strike.at !== point || --each.left > 0) {
        continue
      }
      this.#armed.splice(index, 1)
      this.#journal.write({ what: 'struck', point, act: each.strike.act, ...(id !== undefined && { id }) })
      this.#act(each.strike)
      return
    }
  }

  #act({ act, seconds = 1 }: Strike): void {
    if (act === 'die') {
      process.kill(process.pid, 'SIGKILL')
    }
    if (act === 'stop') {
      process.kill(process.pid, 'SIGSTOP')
    }
    if (act === 'fail') {
      throw new Error('the handler was told to fail')
    }
    if (act === 'block') {
      const until = performance.now() + seconds * 1000
      while (performance.now() < until) {}
    }
  }
}
